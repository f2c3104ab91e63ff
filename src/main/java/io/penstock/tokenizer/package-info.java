/** Counts the tokens of a text as its provider does, or estimates them. */
@NullMarked
package io.penstock.tokenizer;

import org.jspecify.annotations.NullMarked;
