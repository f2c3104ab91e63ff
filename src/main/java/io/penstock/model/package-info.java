/** Quotas, profiles and decisions per model. */
@NullMarked
package io.penstock.model;

import org.jspecify.annotations.NullMarked;
