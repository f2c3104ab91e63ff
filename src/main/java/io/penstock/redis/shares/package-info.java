/** Shares of limits in Redis, where the scripts share.lua and beat.lua keep them. */
@NullMarked
package io.penstock.redis.shares;

import org.jspecify.annotations.NullMarked;
