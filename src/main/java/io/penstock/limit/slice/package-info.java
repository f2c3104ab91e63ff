/** Slices of shared limits, as the store that grants them keeps account of them. */
@NullMarked
package io.penstock.limit.slice;

import org.jspecify.annotations.NullMarked;
