/** Reading answers of providers: what they used, and their errors. */
@NullMarked
package io.penstock.provider.answer;

import org.jspecify.annotations.NullMarked;
