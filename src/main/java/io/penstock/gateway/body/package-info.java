/** Request bodies in memory: the budget of all of them, and how they are read and kept. */
@NullMarked
package io.penstock.gateway.body;

import org.jspecify.annotations.NullMarked;
