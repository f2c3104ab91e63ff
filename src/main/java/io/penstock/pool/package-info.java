/** Which upstream takes a request: room, utilisation, and what was measured of it. */
@NullMarked
package io.penstock.pool;

import org.jspecify.annotations.NullMarked;
