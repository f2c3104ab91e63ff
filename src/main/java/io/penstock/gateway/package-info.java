/** The way of a request through the gateway, as a chain of filters. */
@NullMarked
package io.penstock.gateway;

import org.jspecify.annotations.NullMarked;
