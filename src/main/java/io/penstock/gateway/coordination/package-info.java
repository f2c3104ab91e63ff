/** The coordination API over HTTP: its paths, its parameters and its answers. */
@NullMarked
package io.penstock.gateway.coordination;

import org.jspecify.annotations.NullMarked;
