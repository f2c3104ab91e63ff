/** The coordination API: locks, counters and the like over HTTP. */
@NullMarked
package io.penstock.gateway.coordination;

import org.jspecify.annotations.NullMarked;
