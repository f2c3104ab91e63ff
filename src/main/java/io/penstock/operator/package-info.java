/** The operator port: a REST API, streams of server-sent events, and the console for browsers. */
@NullMarked
package io.penstock.operator;

import org.jspecify.annotations.NullMarked;
