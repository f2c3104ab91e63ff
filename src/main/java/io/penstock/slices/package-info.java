/** Exact sharing of limits in slices, synchronized in rounds that no request waits for. */
@NullMarked
package io.penstock.slices;

import org.jspecify.annotations.NullMarked;
