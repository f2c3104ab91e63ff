/**
 * The protocol of Anthropic: its requests and answers, its refusals, its limits, and the calls that
 * the gateway makes itself.
 */
@NullMarked
package io.penstock.provider.anthropic;

import org.jspecify.annotations.NullMarked;
