package io.penstock.tokenizer;

import io.penstock.cost.RequestContent;
import org.jspecify.annotations.Nullable;

/**
 * A request with text for a tokenizer to count.
 *
 * @param content its text size and parameters, including the model
 * @param text its input text, or null if it is not for a tokenizer
 */
public record TokenizerInput(RequestContent content, @Nullable CharSequence text) {}
