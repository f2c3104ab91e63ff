/**
 * Starts the program, creates its parts and connects them, applies reloads, saves the state file,
 * and finishes open requests at shutdown.
 */
@NullMarked
package io.penstock;

import org.jspecify.annotations.NullMarked;
