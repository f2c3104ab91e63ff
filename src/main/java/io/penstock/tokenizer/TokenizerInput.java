package io.penstock.tokenizer;

import io.penstock.cost.Content;
import org.jspecify.annotations.Nullable;

/**
 * A request of which a tokenizer is to count the text.
 *
 * @param content what it holds and states, the model included
 * @param text its input text, or null when no tokenizer is to see it
 */
public record TokenizerInput(Content content, @Nullable CharSequence text) {}
