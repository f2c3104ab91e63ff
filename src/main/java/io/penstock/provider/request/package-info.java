/** Reading requests to providers: what they ask for, and what they are expected to use. */
@NullMarked
package io.penstock.provider.request;

import org.jspecify.annotations.NullMarked;
