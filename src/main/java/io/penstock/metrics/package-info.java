/** Micrometer meters of events and queues, with a bounded number of labels. */
@NullMarked
package io.penstock.metrics;

import org.jspecify.annotations.NullMarked;
