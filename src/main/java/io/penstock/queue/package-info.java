/** The ticket and where tickets wait, bounded, in a named order. */
@NullMarked
package io.penstock.queue;

import org.jspecify.annotations.NullMarked;
