/** Tickets, and the queues in which they wait: bounded, in a named order. */
@NullMarked
package io.penstock.queue;

import org.jspecify.annotations.NullMarked;
