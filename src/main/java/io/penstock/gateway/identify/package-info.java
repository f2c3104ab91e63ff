/**
 * The first step of a request: whether it may come in, which client sent it, and which endpoint
 * serves it.
 */
@NullMarked
package io.penstock.gateway.identify;

import org.jspecify.annotations.NullMarked;
