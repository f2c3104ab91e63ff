package io.penstock.key;

import io.penstock.limit.LimitSpec;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LimitId;

/**
 * A configured limit of a key or group.
 *
 * @param reason the reason of its refusals
 */
public record KeyLimit(LimitId id, LimitSpec spec, RefusalReason reason) {}
