/** How each provider speaks, and the built-in provider for demos and load tests. */
@NullMarked
package io.penstock.provider;

import org.jspecify.annotations.NullMarked;
