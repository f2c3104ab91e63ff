/** The clocks: the monotonic clock, the cell clock and wall time. */
@NullMarked
package io.penstock.time;

import org.jspecify.annotations.NullMarked;
