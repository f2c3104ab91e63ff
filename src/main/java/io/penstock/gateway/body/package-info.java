/**
 * Bodies of requests in memory: how they are read and kept, and the bound on the bytes of all of
 * them together.
 */
@NullMarked
package io.penstock.gateway.body;

import org.jspecify.annotations.NullMarked;
