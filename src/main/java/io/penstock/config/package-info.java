/**
 * Reads route files into a checked snapshot: all their settings with defaults, and faults with
 * file, line and column.
 */
@NullMarked
package io.penstock.config;

import org.jspecify.annotations.NullMarked;
