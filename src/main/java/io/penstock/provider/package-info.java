/** How each provider speaks: its calls, its refusals, and what its answers teach. */
@NullMarked
package io.penstock.provider;

import org.jspecify.annotations.NullMarked;
