/**
 * The last steps of a request: attempts at upstreams with retries, WebSockets, permits, and the
 * settlement; and the probes of unhealthy upstreams.
 */
@NullMarked
package io.penstock.gateway.forward;

import org.jspecify.annotations.NullMarked;
