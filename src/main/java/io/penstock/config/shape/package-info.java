/**
 * Kinds of values that settings of route files can have, such as numbers, paths and secrets, and
 * how sections of YAML are read by a table of settings.
 */
@NullMarked
package io.penstock.config.shape;

import org.jspecify.annotations.NullMarked;
