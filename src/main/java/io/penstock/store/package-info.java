/** What outlives the program: usage and keys, on disk and in SQL. */
@NullMarked
package io.penstock.store;

import org.jspecify.annotations.NullMarked;
