/**
 * The built-in provider for demos and load tests, which answers in the format of each provider and
 * has limits of its own that share no code with the gateway.
 */
@NullMarked
package io.penstock.mock;

import org.jspecify.annotations.NullMarked;
