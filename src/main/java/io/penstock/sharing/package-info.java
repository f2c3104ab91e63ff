/** Ports for the stores through which instances share limits, and the terms of sharing. */
@NullMarked
package io.penstock.sharing;

import org.jspecify.annotations.NullMarked;
