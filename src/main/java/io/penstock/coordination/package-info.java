/** Token buckets, semaphores, events, watchdogs, counters and barriers for other programs. */
@NullMarked
package io.penstock.coordination;

import org.jspecify.annotations.NullMarked;
