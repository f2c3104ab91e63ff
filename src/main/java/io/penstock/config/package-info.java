/** Reads route files into a checked snapshot, and reports faults with file, line and column. */
@NullMarked
package io.penstock.config;

import org.jspecify.annotations.NullMarked;
