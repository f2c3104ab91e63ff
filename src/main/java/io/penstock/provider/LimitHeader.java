package io.penstock.provider;

import io.penstock.cost.LimitMeasure;
import org.jspecify.annotations.Nullable;

/**
 * The headers in which a provider states what is left of a limit.
 *
 * @param measure what the limit counts
 * @param limit the name of the header with the limit itself
 * @param remaining the name of that with what is left
 * @param reset the name of that with the time until all is left, or null if it is not stated
 * @param form the form of that time
 */
public record LimitHeader(
    LimitMeasure measure, String limit, String remaining, @Nullable String reset, ResetForm form) {}
