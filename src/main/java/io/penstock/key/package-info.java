/**
 * API keys and their groups: the hashing of secrets, the lookup of a caller by its secret, and the
 * quotas of each caller.
 */
@NullMarked
package io.penstock.key;

import org.jspecify.annotations.NullMarked;
