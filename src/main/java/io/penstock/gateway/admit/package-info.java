/** The step in which a request is admitted, queued or refused. */
@NullMarked
package io.penstock.gateway.admit;

import org.jspecify.annotations.NullMarked;
