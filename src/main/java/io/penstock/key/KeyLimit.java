package io.penstock.key;

import io.penstock.limit.LimitSpec;
import io.penstock.quota.LimitId;
import io.penstock.refusal.Reason;

/**
 * One limit that is configured for a key or group.
 *
 * @param reason with which it refuses
 */
public record KeyLimit(LimitId id, LimitSpec spec, Reason reason) {}
