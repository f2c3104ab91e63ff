/**
 * The protocol of Gemini: its requests and answers, its refusals, its limits, and the calls that
 * the gateway makes itself.
 */
@NullMarked
package io.penstock.provider.gemini;

import org.jspecify.annotations.NullMarked;
