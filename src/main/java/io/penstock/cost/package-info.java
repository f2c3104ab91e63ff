/**
 * What a request weighs before the call and what it weighed after; dialects and charges by name.
 */
@NullMarked
package io.penstock.cost;

import org.jspecify.annotations.NullMarked;
