/** Traces of requests from their first byte to their last, sent to a collector by OTLP. */
@NullMarked
package io.penstock.trace;

import org.jspecify.annotations.NullMarked;
