/** What operators see and do: REST and a stream of events, on a port of their own. */
@NullMarked
package io.penstock.operator;

import org.jspecify.annotations.NullMarked;
