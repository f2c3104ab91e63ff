/**
 * Exact sharing of limits between instances: rounds in which an instance reports spending and asks
 * Redis for slices, and what holds during outages and after losses of data.
 */
@NullMarked
package io.penstock.slices;

import org.jspecify.annotations.NullMarked;
