/** Data that outlives the program: usage and keys, in files and SQL databases. */
@NullMarked
package io.penstock.store;

import org.jspecify.annotations.NullMarked;
