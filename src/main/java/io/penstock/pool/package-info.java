/**
 * Upstreams: their pools of limits, their health and their pauses, and what happens to a request
 * after a failed attempt.
 */
@NullMarked
package io.penstock.pool;

import org.jspecify.annotations.NullMarked;
