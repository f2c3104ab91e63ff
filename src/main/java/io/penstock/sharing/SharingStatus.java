package io.penstock.sharing;

import io.penstock.event.Event;
import io.penstock.event.Event.Synced.Change;
import io.penstock.event.EventSink;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the state of the sharing with other instances, whenever it changes. Used by one thread
 * at a time, except for {@link #setEventSink}.
 */
public final class SharingStatus {
  private final SharingMode sharingMode;
  private final OutagePolicy policy;
  private final String ttl;
  private volatile EventSink eventSink = event -> {};

  private @Nullable RecoveryReason why;
  private boolean cutOff;
  private long members;

  /**
   * Creates a status without changes so far.
   *
   * @param sharingMode of the limits that it is about
   * @param ttlNanos silence after which the lost contact is published
   */
  public SharingStatus(SharingMode sharingMode, OutagePolicy policy, long ttlNanos) {
    this.sharingMode = sharingMode;
    this.policy = policy;
    this.ttl = BigDecimal.valueOf(ttlNanos, 9).stripTrailingZeros().toPlainString() + " s";
  }

  /** Sets the receiver of events. */
  public void setEventSink(EventSink to) {
    eventSink = to;
  }

  /**
   * Looks for changes; returns code that publishes them, to be run in order and without the lock.
   *
   * @param learns why nothing is taken, or null
   * @param any whether there are limits concerned
   */
  public List<Runnable> findChanges(
      @Nullable RecoveryReason learns, StoreContact storeContact, BooleanSupplier any, long now) {
    boolean removed = storeContact.cutOffNanos() != StoreContact.CONNECTED;
    boolean heard = storeContact.members() > 0 && now < storeContact.endsNanos();
    long among = sharingMode == SharingMode.EXACT ? storeContact.members() : 0;
    List<Runnable> announcements = new ArrayList<>();
    if (heard && learns != null && learns != why && any.getAsBoolean()) {
      why = learns;
      Change begun = learns == RecoveryReason.CAME ? Change.JOINING : Change.LEARNING;
      say(begun, among, because(learns), now, announcements);
    }
    if (heard && learns == null && why != null) {
      Change ended = why == RecoveryReason.CAME ? Change.JOINED : Change.LEARNED;
      why = null;
      members = among;
      say(ended, among, shared(among), now, announcements);
    }
    if (removed && !cutOff && any.getAsBoolean()) {
      cutOff = true;
      say(Change.CUT_OFF, among, alone(), now, announcements);
    }
    if (!removed && cutOff) {
      cutOff = false;
      members = among;
      say(Change.REJOINED, among, "Redis is heard again: " + shared(among), now, announcements);
    }
    if (heard && !removed && learns == null && among != members) {
      members = among;
      say(Change.MEMBERS, among, instances(among) + " limits", now, announcements);
    }
    return announcements;
  }

  private void say(
      Change change, long among, String detail, long now, List<Runnable> announcements) {
    String of = change == Change.MEMBERS ? null : sharingMode.text();
    announcements.add(() -> eventSink.publish(new Event.Synced(now, of, change, among, detail)));
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
