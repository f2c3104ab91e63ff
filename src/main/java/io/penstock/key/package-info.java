/** Who is calling: keys, the groups they are in, and where keys are kept. */
@NullMarked
package io.penstock.key;

import org.jspecify.annotations.NullMarked;
