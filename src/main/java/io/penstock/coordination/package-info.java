/** Token bucket, semaphore, event, watchdog, counter and barrier for programs outside. */
@NullMarked
package io.penstock.coordination;

import org.jspecify.annotations.NullMarked;
