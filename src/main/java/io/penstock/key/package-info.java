/** API keys, their groups, and the store in which keys are kept. */
@NullMarked
package io.penstock.key;

import org.jspecify.annotations.NullMarked;
