/** Measurements of what Penstock costs, side by side with other proxies and gateways. */
@NullMarked
package io.penstock.load;

import org.jspecify.annotations.NullMarked;
