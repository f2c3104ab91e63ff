/** Readers of providers' answers, for their usage and their errors. */
@NullMarked
package io.penstock.provider.answer;

import org.jspecify.annotations.NullMarked;
