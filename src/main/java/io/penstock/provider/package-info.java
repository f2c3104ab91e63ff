/** How each provider speaks: request to cost, answer to usage, refusal to its error body. */
@NullMarked
package io.penstock.provider;

import org.jspecify.annotations.NullMarked;
