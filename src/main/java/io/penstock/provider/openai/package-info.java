/**
 * The protocol of OpenAI: its requests and answers, its refusals, its limits, and the calls that
 * the gateway makes itself.
 */
@NullMarked
package io.penstock.provider.openai;

import org.jspecify.annotations.NullMarked;
