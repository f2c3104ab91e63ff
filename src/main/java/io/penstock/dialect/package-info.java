/** The table of dialects, from which all other code takes the protocol of a provider. */
@NullMarked
package io.penstock.dialect;

import org.jspecify.annotations.NullMarked;
