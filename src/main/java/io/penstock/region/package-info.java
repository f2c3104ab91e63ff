/** Sharing limits between regions through SQL, after the fact: what no decision waits for. */
@NullMarked
package io.penstock.region;

import org.jspecify.annotations.NullMarked;
