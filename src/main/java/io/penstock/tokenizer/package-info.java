/** Counts the tokens of text as providers do. */
@NullMarked
package io.penstock.tokenizer;

import org.jspecify.annotations.NullMarked;
