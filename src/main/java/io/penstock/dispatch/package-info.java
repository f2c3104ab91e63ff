/**
 * Dispatcher of one endpoint: tickets, lanes and the waiting room, admission and wait estimates.
 */
@NullMarked
package io.penstock.dispatch;

import org.jspecify.annotations.NullMarked;
