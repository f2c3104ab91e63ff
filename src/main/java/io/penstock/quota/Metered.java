package io.penstock.quota;

import io.penstock.cost.Measure;
import io.penstock.limit.Limit;

/**
 * One limit of a quota.
 *
 * @param measure what it counts
 * @param limit the limit
 */
public record Metered(Measure measure, Limit limit) {}
