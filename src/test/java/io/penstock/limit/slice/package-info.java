/**
 * The arithmetic by which a store divides a shared limit into slices for instances: the script
 * grant.lua does the same in Redis.
 */
@NullMarked
package io.penstock.limit.slice;

import org.jspecify.annotations.NullMarked;
