package io.penstock.sharing;

import io.penstock.event.Event;
import io.penstock.event.Event.Synced.Change;
import io.penstock.event.EventSink;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the state of the sharing with other instances, whenever it changes. Used by one thread
 * at a time.
 */
public final class SharingStatus {
  private final SharingMode sharingMode;
  private final OutagePolicy policy;
  private final String ttl;
  private final EventSink events;

  private @Nullable RecoveryReason why;

  /** Whether the store went away, and this instance cannot be given shares again yet. */
  private boolean isRemoved;

  private boolean cutOff;
  private long members;

  /**
   * Creates a status without changes so far.
   *
   * @param sharingMode of the limits that it is about
   * @param ttlNanos silence after which the store is away
   */
  public SharingStatus(
      SharingMode sharingMode, OutagePolicy policy, long ttlNanos, EventSink events) {
    this.sharingMode = sharingMode;
    this.policy = policy;
    this.ttl = BigDecimal.valueOf(ttlNanos, 9).stripTrailingZeros().toPlainString() + " s";
    this.events = events;
  }

  /**
   * Publishes what has changed.
   *
   * @param learns why nothing is taken, or null
   * @param living number of instances that share limits, this one included; 0 before the store was
   *     heard
   * @param isAway whether the store has not been heard for a lease
   * @param isAny whether there are limits concerned
   */
  public void look(
      @Nullable RecoveryReason learns, long living, boolean isAway, boolean isAny, long now) {
    isRemoved = isAway || (isRemoved && learns != null);
    boolean heard = living > 0 && !isAway;
    long among = sharingMode == SharingMode.EXACT ? living : 0;
    if (heard && learns != null && learns != why && isAny) {
      why = learns;
      Change begun = learns == RecoveryReason.CAME ? Change.JOINING : Change.LEARNING;
      say(begun, among, because(learns), now);
    }
    if (heard && learns == null && why != null) {
      Change ended = why == RecoveryReason.CAME ? Change.JOINED : Change.LEARNED;
      why = null;
      members = among;
      say(ended, among, shared(among), now);
    }
    if (isRemoved && !cutOff && isAny) {
      cutOff = true;
      say(Change.CUT_OFF, among, alone(), now);
    }
    if (!isRemoved && cutOff) {
      cutOff = false;
      members = among;
      say(Change.REJOINED, among, "Redis is heard again: " + shared(among), now);
    }
    if (heard && !isRemoved && learns == null && among != members) {
      members = among;
      say(Change.MEMBERS, among, instances(among) + " limits", now);
    }
  }

  private void say(Change change, long among, String detail, long now) {
    String of = change == Change.MEMBERS ? null : sharingMode.text();
    events.publish(new Event.Synced(now, of, change, among, detail));
  }

  private static String because(RecoveryReason learns) {
    return switch (learns) {
      case CAME -> "this instance has just come, and is given nothing until all others know it";
      case LOST ->
          "Redis was restarted or has lost data: no share of an exact limit grows until all"
              + " instances have stated theirs";
    };
  }

  private String shared(long among) {
    return among == 0 ? "eventual limits are counted together" : instances(among) + " exact limits";
  }

  private static String instances(long among) {
    return among == 1 ? "no other instance shares" : among + " instances share";
  }

  private String alone() {
    return "Redis has not been heard for %s: %s (penstock.redis.on-outage=%s)"
        .formatted(ttl, sharingMode == SharingMode.EXACT ? exact() : eventual(), policy.text());
  }

  private String exact() {
    return switch (policy) {
      case CONTINUE -> "each instance goes on with its shares of exact limits";
      case PARK -> "requests that need exact limits wait";
      case ALLOW -> "exact limits let all pass";
      case REFUSE -> "exact limits refuse";
    };
  }

  private String eventual() {
    return switch (policy) {
      case CONTINUE, PARK -> "eventual limits count this instance alone";
      case ALLOW -> "eventual limits let all pass";
      case REFUSE -> "eventual limits refuse";
    };
  }
}
