/** Sharing of limits between instances through Redis, in rounds that no request waits for. */
@NullMarked
package io.penstock.sync;

import org.jspecify.annotations.NullMarked;
