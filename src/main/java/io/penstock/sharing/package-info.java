/** Ports through which instances share limits, and the terms on which they do. */
@NullMarked
package io.penstock.sharing;

import org.jspecify.annotations.NullMarked;
