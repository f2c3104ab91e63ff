/** Files and SQL databases that keep usage, spent limits and keys over restarts. */
@NullMarked
package io.penstock.store;

import org.jspecify.annotations.NullMarked;
