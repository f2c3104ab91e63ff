/** The way of a request through the gateway, as filters. */
@NullMarked
package io.penstock.gateway;

import org.jspecify.annotations.NullMarked;
