/**
 * Connections of clients and to upstreams below the HTTP filters: handlers, pools and buffers of
 * Netty.
 */
@NullMarked
package io.penstock.wire;

import org.jspecify.annotations.NullMarked;
