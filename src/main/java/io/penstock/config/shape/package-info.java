/** Shapes of the values in route files, and the reading of sections by tables of settings. */
@NullMarked
package io.penstock.config.shape;

import org.jspecify.annotations.NullMarked;
