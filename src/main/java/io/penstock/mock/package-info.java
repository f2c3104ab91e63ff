/** The built-in provider for demos and load tests, with an independent implementation of limits. */
@NullMarked
package io.penstock.mock;

import org.jspecify.annotations.NullMarked;
