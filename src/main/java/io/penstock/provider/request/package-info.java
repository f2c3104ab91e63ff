/**
 * Readers of request bodies in the format of each provider, which find the model, the text to
 * count, and the stated maximum of output.
 */
@NullMarked
package io.penstock.provider.request;

import org.jspecify.annotations.NullMarked;
