/** Expected and real costs of requests, and the dialects and charge rules of providers. */
@NullMarked
package io.penstock.cost;

import org.jspecify.annotations.NullMarked;
