/**
 * State of one request on its way through the gateway, and its answer: what is read from it as it
 * passes, the headers that the gateway adds, and refusals.
 */
@NullMarked
package io.penstock.gateway.request;

import org.jspecify.annotations.NullMarked;
