/** How much may pass: pure state machines over instants that the caller gives. */
@NullMarked
package io.penstock.limit;

import org.jspecify.annotations.NullMarked;
