/**
 * Sharing of limits between regions through an SQL database: counts are written and read in the
 * background, and no request waits for it.
 */
@NullMarked
package io.penstock.region;

import org.jspecify.annotations.NullMarked;
