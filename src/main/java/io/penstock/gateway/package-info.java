/**
 * The way of a request through the gateway as a chain of filters, from the check of its key to its
 * settlement, with retries and WebSockets.
 */
@NullMarked
package io.penstock.gateway;

import org.jspecify.annotations.NullMarked;
