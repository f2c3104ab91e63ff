/** What a key, model or upstream may still spend, and who waits for it. */
@NullMarked
package io.penstock.quota;

import org.jspecify.annotations.NullMarked;
