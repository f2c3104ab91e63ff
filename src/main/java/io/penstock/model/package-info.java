/**
 * Quotas of models over all upstreams, the built-in limits of known models, and decisions for
 * programs that call a provider themselves.
 */
@NullMarked
package io.penstock.model;

import org.jspecify.annotations.NullMarked;
