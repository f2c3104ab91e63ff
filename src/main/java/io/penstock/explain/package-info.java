/**
 * Explains why a ticket waits, waited or was refused, and keeps records of recent tickets for
 * operators.
 */
@NullMarked
package io.penstock.explain;

import org.jspecify.annotations.NullMarked;
