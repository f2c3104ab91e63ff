/** Refusals of requests: the reason with its HTTP status, and when a retry would help. */
@NullMarked
package io.penstock.refusal;

import org.jspecify.annotations.NullMarked;
