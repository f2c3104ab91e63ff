/** Settings of the gateway, bound and checked before it starts. */
@NullMarked
package io.penstock.settings;

import org.jspecify.annotations.NullMarked;
