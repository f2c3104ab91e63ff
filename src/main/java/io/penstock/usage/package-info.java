/** Usage by key and day, and snapshots of what was spent. */
@NullMarked
package io.penstock.usage;

import org.jspecify.annotations.NullMarked;
