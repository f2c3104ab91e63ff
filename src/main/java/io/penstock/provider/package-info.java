/**
 * The protocols of the providers: which of their calls are weighed, the format of refusals, and
 * what answers say about limits.
 */
@NullMarked
package io.penstock.provider;

import org.jspecify.annotations.NullMarked;
