/**
 * Quotas of keys, models and upstreams, their wait lists, and the sharing of limits between
 * instances.
 */
@NullMarked
package io.penstock.quota;

import org.jspecify.annotations.NullMarked;
