/**
 * The commands of the command line except the server, such as check and keys, and the view of a
 * running gateway that top draws in the terminal.
 */
@NullMarked
package io.penstock.cli;

import org.jspecify.annotations.NullMarked;
