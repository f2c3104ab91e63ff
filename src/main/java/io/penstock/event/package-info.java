/** Events of the gateway, for metrics, display and logs. */
@NullMarked
package io.penstock.event;

import org.jspecify.annotations.NullMarked;
