/**
 * Tickets, and the orders in which they wait (first come, priority, fair and others), with an index
 * that finds the first ticket that fits.
 */
@NullMarked
package io.penstock.queue;

import org.jspecify.annotations.NullMarked;
