/** Converts tickets to Monos, and runs dispatchers on schedulers. */
@NullMarked
package io.penstock.park;

import org.jspecify.annotations.NullMarked;
