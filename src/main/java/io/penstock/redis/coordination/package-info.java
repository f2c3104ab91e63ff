/** Coordination objects that all instances share through Redis. */
@NullMarked
package io.penstock.redis.coordination;

import org.jspecify.annotations.NullMarked;
