/**
 * Expected cost and real usage of requests, what is learned from answers to predict them, and the
 * rules by which each provider counts them against its limits.
 */
@NullMarked
package io.penstock.cost;

import org.jspecify.annotations.NullMarked;
