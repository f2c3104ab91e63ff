/**
 * The protocol of Azure: its requests and answers, its refusals, its limits, and the calls that the
 * gateway makes itself.
 */
@NullMarked
package io.penstock.provider.azure;

import org.jspecify.annotations.NullMarked;
