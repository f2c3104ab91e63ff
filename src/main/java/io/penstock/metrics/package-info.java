/** Events and queues as Micrometer meters, with as many labels as there is room for. */
@NullMarked
package io.penstock.metrics;

import org.jspecify.annotations.NullMarked;
