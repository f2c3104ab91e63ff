/** What Penstock costs, measured side by side with what else would be put in its place. */
@NullMarked
package io.penstock.load;

import org.jspecify.annotations.NullMarked;
