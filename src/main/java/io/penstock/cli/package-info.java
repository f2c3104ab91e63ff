/** The commands of the command line, except the server. */
@NullMarked
package io.penstock.cli;

import org.jspecify.annotations.NullMarked;
