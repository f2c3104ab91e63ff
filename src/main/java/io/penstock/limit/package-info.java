/**
 * The algorithms of limits, such as fixed windows, trailing windows and token buckets, as states
 * that change only by calls with an instant.
 */
@NullMarked
package io.penstock.limit;

import org.jspecify.annotations.NullMarked;
