/** Where <em>now</em> comes from: the monotonic clock, the cell clock and wall time. */
@NullMarked
package io.penstock.time;

import org.jspecify.annotations.NullMarked;
