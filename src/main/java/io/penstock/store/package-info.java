/** Usage and keys on disk, keys in SQL. */
@NullMarked
package io.penstock.store;

import org.jspecify.annotations.NullMarked;
