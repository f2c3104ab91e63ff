/** Turns a ticket into a Mono, and drives dispatchers on schedulers. */
@NullMarked
package io.penstock.park;

import org.jspecify.annotations.NullMarked;
