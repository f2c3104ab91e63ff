/**
 * The protocols of the providers: their calls, their refusals, and the statements about limits in
 * their answers.
 */
@NullMarked
package io.penstock.provider;

import org.jspecify.annotations.NullMarked;
