/**
 * The ledger of usage by day, key, group and model, and the port for snapshots of what was used and
 * spent.
 */
@NullMarked
package io.penstock.usage;

import org.jspecify.annotations.NullMarked;
