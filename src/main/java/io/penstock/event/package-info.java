/** What happened, for whoever counts, shows or logs it. */
@NullMarked
package io.penstock.event;

import org.jspecify.annotations.NullMarked;
