/** Reading JSON and server-sent events as their bytes pass, and changing bodies in a few places. */
@NullMarked
package io.penstock.json;

import org.jspecify.annotations.NullMarked;
