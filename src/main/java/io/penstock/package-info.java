/** The roof: wires the rooms, and runs the program. */
@NullMarked
package io.penstock;

import org.jspecify.annotations.NullMarked;
