package io.penstock.shares;

import io.penstock.event.EventSink;
import io.penstock.shares.ShareFigures.Contact;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.RecoveryReason;
import io.penstock.sharing.SharingMode;
import io.penstock.sharing.SharingStatus;
import io.penstock.sharing.SharingView;
import io.penstock.time.Ticker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells operators how limits are shared with other instances. Safe from any thread. */
public final class ShareStatus {
  private static final double SECOND = 1e9;

  private final ShareSlots slots;
  private final OutagePolicy policy;
  private final long leaseNanos;
  private final Ticker ticker;
  private final SharingStatus exact;
  private final SharingStatus eventual;
  private volatile boolean wasReady;

  /** How many instances lived when all slots had been heard; 0 before that. */
  private long known;

  private volatile long members = 1;
  private volatile long heardNanos;
  private volatile SharingView.@Nullable Outage outage;

  /** Creates a status of slots that were not heard yet. */
  public ShareStatus(
      ShareSlots slots, OutagePolicy policy, long leaseNanos, EventSink events, Ticker ticker) {
    this.slots = slots;
    this.policy = policy;
    this.leaseNanos = leaseNanos;
    this.ticker = ticker;
    this.heardNanos = ticker.nanos();
    this.exact = new SharingStatus(SharingMode.EXACT, policy, leaseNanos, events);
    this.eventual = new SharingStatus(SharingMode.EVENTUAL, policy, leaseNanos, events);
  }

  /** Looks whether anything has changed, and tells of it. */
  public synchronized void look() {
    long now = ticker.nanos();
    List<Contact> each = slots.contacts();
    long silent = each.stream().mapToLong(Contact::silentNanos).max().orElse(0);
    long living = each.stream().mapToLong(Contact::living).max().orElse(1);
    boolean isAway = each.stream().anyMatch(Contact::cutOff);
    known = each.stream().allMatch(Contact::wasHeard) ? living : known;
    RecoveryReason why = why(each);
    members = isAway ? 1 : living;
    heardNanos = now - silent;
    outage = isAway ? new SharingView.Outage(now - silent, policy) : null;
    boolean isSilent = silent >= leaseNanos;
    exact.look(why, known, isSilent, !slots.isEmpty(), now);
    eventual.look(null, known, isSilent, slots.leavesRoom(), now);
  }

  private @Nullable RecoveryReason why(List<Contact> contacts) {
    if (slots.isReady()) {
      wasReady = true;
      return null;
    }
    // one that comes need not know this one at once
    boolean isSettled = contacts.stream().allMatch(slot -> slot.settled() || slot.cutOff());
    return wasReady ? isSettled ? null : RecoveryReason.LOST : RecoveryReason.CAME;
  }

  /** Returns whether this instance was ever given shares, or could have been. */
  public boolean wasReady() {
    return wasReady;
  }

  /** Returns the number of instances that share limits, this one included; 1 in an outage. */
  public long members() {
    return members;
  }

  /** Returns for how many seconds the store has not answered. */
  public double silentSeconds() {
    return (double) (ticker.nanos() - heardNanos) / SECOND;
  }

  /** Returns how many stopped instances have shares that still count. */
  public long stopped() {
    return slots.figures().stream().mapToLong(ShareFigures::stopped).max().orElse(0);
  }

  /** Returns the present outage of the store, or null. */
  public SharingView.@Nullable Outage outage() {
    return outage;
  }
}
