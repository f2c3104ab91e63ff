/**
 * Reads JSON and server-sent events as their bytes pass, without building a tree, and makes small
 * changes to bodies.
 */
@NullMarked
package io.penstock.json;

import org.jspecify.annotations.NullMarked;
