/** Limits on how much may pass: pure state machines over instants that the caller passes. */
@NullMarked
package io.penstock.limit;

import org.jspecify.annotations.NullMarked;
