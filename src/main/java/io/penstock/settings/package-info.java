/**
 * Settings of the program, which are properties below penstock: they are bound and checked before
 * the gateway starts.
 */
@NullMarked
package io.penstock.settings;

import org.jspecify.annotations.NullMarked;
