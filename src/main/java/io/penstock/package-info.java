/** Wires the packages of the gateway, and runs the program. */
@NullMarked
package io.penstock;

import org.jspecify.annotations.NullMarked;
