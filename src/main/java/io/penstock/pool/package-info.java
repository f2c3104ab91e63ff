/**
 * Upstreams with their pools of limits, their health and the measurements that decide which of them
 * takes a request.
 */
@NullMarked
package io.penstock.pool;

import org.jspecify.annotations.NullMarked;
