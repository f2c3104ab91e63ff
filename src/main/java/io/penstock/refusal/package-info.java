/** Why not: the reason, its status, the limit that bound, and when trying again would help. */
@NullMarked
package io.penstock.refusal;

import org.jspecify.annotations.NullMarked;
