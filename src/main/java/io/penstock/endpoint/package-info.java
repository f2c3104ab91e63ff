/** One path's queue, limit, dispatcher, admission and settlement, and the registry of paths. */
@NullMarked
package io.penstock.endpoint;

import org.jspecify.annotations.NullMarked;
