/**
 * Fingerprints of the beginnings of prompts that providers may have in their caches, and the sizes
 * from which providers cache.
 */
@NullMarked
package io.penstock.prefix;

import org.jspecify.annotations.NullMarked;
