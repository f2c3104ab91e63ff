/**
 * Readers of answers in the format of each provider, which find the usage and count the output as
 * bytes pass.
 */
@NullMarked
package io.penstock.provider.answer;

import org.jspecify.annotations.NullMarked;
