/** The protocol of Mistral: what it does not share with OpenAI's. */
@NullMarked
package io.penstock.provider.mistral;

import org.jspecify.annotations.NullMarked;
