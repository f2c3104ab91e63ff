package io.penstock.dispatch;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds the waiting tickets that cost less or more than expected, because an answer told how much
 * of a prompt a cache has. Tickets of other keys are left alone: what is trusted is known for each
 * key, and no key is to make others be looked at.
 *
 * @param group those that wait for this beginning; null for none
 * @param ofKey whether those with the same key are concerned, too
 * @param key the name of the key of the request that was answered; null when it had none
 */
public record CacheNews(@Nullable WarmupGroup group, boolean ofKey, @Nullable String key) {
  /** Returns whether all tickets of a lane wait for the beginning. */
  boolean concerns(LaneKey laneKey) {
    return group != null && group.equals(laneKey.warmup());
  }

  /** Returns whether a ticket is concerned. */
  boolean concerns(ParkedTicket parkedTicket) {
    return concerns(parkedTicket.laneKey())
        || (ofKey && Objects.equals(key, parkedTicket.origin().key()));
  }
}
