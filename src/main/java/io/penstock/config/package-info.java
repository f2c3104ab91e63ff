/** Route files become a checked snapshot, with file, line and column for each fault. */
@NullMarked
package io.penstock.config;

import org.jspecify.annotations.NullMarked;
