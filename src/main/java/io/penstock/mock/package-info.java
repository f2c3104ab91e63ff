/** The built-in provider for demos and load tests, with a checker of its limits of its own. */
@NullMarked
package io.penstock.mock;

import org.jspecify.annotations.NullMarked;
