/** Reads JSON and server-sent events as their bytes pass, and applies small changes to bodies. */
@NullMarked
package io.penstock.json;

import org.jspecify.annotations.NullMarked;
