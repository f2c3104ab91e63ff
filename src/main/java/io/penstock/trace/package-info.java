/**
 * Records requests from their first byte to their last, and sends the traces to a collector by
 * OTLP.
 */
@NullMarked
package io.penstock.trace;

import org.jspecify.annotations.NullMarked;
