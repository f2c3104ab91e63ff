/**
 * The connection to Redis, its scripts, and the diagnosis of its failures: Redisson is used only
 * here and in the packages inside.
 */
@NullMarked
package io.penstock.redis;

import org.jspecify.annotations.NullMarked;
