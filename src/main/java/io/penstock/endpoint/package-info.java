/**
 * Endpoints: the queue, limit, dispatcher, admission and settlement of each path, and the registry
 * of paths.
 */
@NullMarked
package io.penstock.endpoint;

import org.jspecify.annotations.NullMarked;
