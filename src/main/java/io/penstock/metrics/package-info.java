/**
 * Micrometer meters of endpoints, upstreams, models and sharing: their names, and bounds on the
 * number of their labels.
 */
@NullMarked
package io.penstock.metrics;

import org.jspecify.annotations.NullMarked;
