/**
 * Eventual sharing of limits between instances: each counts by itself, and they exchange their
 * counts through Redis at intervals.
 */
@NullMarked
package io.penstock.counts;

import org.jspecify.annotations.NullMarked;
