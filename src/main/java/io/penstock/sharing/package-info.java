/**
 * Ports for the stores through which instances share limits, such stores in memory, and the terms
 * of sharing.
 */
@NullMarked
package io.penstock.sharing;

import org.jspecify.annotations.NullMarked;
