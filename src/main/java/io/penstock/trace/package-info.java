/** Following requests from their first byte to their last, and telling a collector by OTLP. */
@NullMarked
package io.penstock.trace;

import org.jspecify.annotations.NullMarked;
