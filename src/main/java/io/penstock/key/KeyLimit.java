package io.penstock.key;

import io.penstock.limit.LimitSpec;
import io.penstock.quota.LimitId;
import io.penstock.refusal.Reason;

/**
 * A configured limit of a key or group.
 *
 * @param reason the reason of its refusals
 */
public record KeyLimit(LimitId id, LimitSpec spec, Reason reason) {}
