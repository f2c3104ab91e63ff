/**
 * Decides which waiting ticket of an endpoint goes next, and when: the dispatcher, its lanes and
 * waiting room, admission, estimates of waits, and the settlement of charges.
 */
@NullMarked
package io.penstock.dispatch;

import org.jspecify.annotations.NullMarked;
