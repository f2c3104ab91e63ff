package io.penstock.pool;

import org.jspecify.annotations.Nullable;

/**
 * History of the attempts for one request, including the present one.
 *
 * @param model the model that the request names, or null
 * @param rejected how often an upstream refused it because of limits, ≥ 0
 * @param broken how often an attempt failed for another reason, ≥ 0
 * @param repeatable whether it could be sent again: its body is buffered, and the client has
 *     received nothing of an answer
 * @param additions what became of what the gateway added
 * @param tenant whose request it is: equal for all of one key, or without keys of one address; null
 *     where nobody tells them apart
 * @param upgrade whether it asks the upstream to become a WebSocket
 * @param timedOut whether the upstream took this attempt and sent nothing until the time was up
 * @param ownCredentials whether it was sent with a credential of its client, so that a refusal
 *     because of limits is about the client's account with the provider and not about the gateway's
 */
public record AttemptHistory(
    @Nullable String model,
    int rejected,
    int broken,
    boolean repeatable,
    AttemptAdditions additions,
    @Nullable Object tenant,
    boolean upgrade,
    boolean timedOut,
    boolean ownCredentials) {}
