/** Explanations of why tickets wait, waited or were refused. */
@NullMarked
package io.penstock.explain;

import org.jspecify.annotations.NullMarked;
