/**
 * Clocks: the monotonic clock, the wall clock, the clock that instances share, and the midnights of
 * a time zone.
 */
@NullMarked
package io.penstock.time;

import org.jspecify.annotations.NullMarked;
