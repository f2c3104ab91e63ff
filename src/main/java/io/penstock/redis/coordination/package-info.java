/**
 * Coordination objects that all instances share through Redis, where the script coordination.lua
 * keeps them.
 */
@NullMarked
package io.penstock.redis.coordination;

import org.jspecify.annotations.NullMarked;
