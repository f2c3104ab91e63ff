/** The second step of a request: reading its body and predicting its cost. */
@NullMarked
package io.penstock.gateway.weigh;

import org.jspecify.annotations.NullMarked;
