/**
 * Quotas: the limits of one key, group, model, upstream or endpoint that are taken from together,
 * with the charges taken and the list of lanes that wait.
 */
@NullMarked
package io.penstock.quota;

import org.jspecify.annotations.NullMarked;
