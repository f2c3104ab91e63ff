/** Eventual sharing of limits through counts that are exchanged with a delay. */
@NullMarked
package io.penstock.counts;

import org.jspecify.annotations.NullMarked;
