/** Connection to Redis, its scripts, and its troubles; Redisson is used only here. */
@NullMarked
package io.penstock.redis;

import org.jspecify.annotations.NullMarked;
