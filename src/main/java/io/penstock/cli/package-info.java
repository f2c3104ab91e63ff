/** Commands: what an operator types, without a server. */
@NullMarked
package io.penstock.cli;

import org.jspecify.annotations.NullMarked;
