/** Sharing of limits between regions through SQL, after the decision: no request waits for it. */
@NullMarked
package io.penstock.region;

import org.jspecify.annotations.NullMarked;
