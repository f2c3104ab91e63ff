/**
 * Lets requests wait without a thread: turns tickets into Monos, and runs dispatchers on schedulers
 * of Reactor.
 */
@NullMarked
package io.penstock.park;

import org.jspecify.annotations.NullMarked;
