/** Refusals: the reason, its status, the limit that caused it, and when trying again would help. */
@NullMarked
package io.penstock.refusal;

import org.jspecify.annotations.NullMarked;
