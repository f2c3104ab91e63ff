/**
 * Semaphores, token buckets, events, watchdogs, counters and barriers for other programs: their
 * operations, and the objects of an instance that keeps them in memory.
 */
@NullMarked
package io.penstock.coordination;

import org.jspecify.annotations.NullMarked;
