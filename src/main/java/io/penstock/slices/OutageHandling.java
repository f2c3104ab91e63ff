package io.penstock.slices;

import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SliceStore;
import io.penstock.sharing.StoreContact;
import io.penstock.time.CellClock;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Applies the outage policy to limits: to all when the store cannot be reached, or to a single
 * limit while the store does not acknowledge its reports. Used by one thread at a time.
 */
final class OutageHandling {
  private final OutagePolicy policy;
  private final StoreContact contact;
  private final SyncPace pace;
  private final CellClock clock;
  private final CutOffGrants cutOffGrants;

  /** Limits with an unacknowledged last report. */
  private final Set<SharedLimit> unnoted = new HashSet<>();

  /** Those of them that have been unacknowledged for longer than slices last. */
  private final Set<SharedLimit> cutOffAlone = new HashSet<>();

  private long aloneAt = Long.MIN_VALUE / 2;

  /** Whether a ticket has lacked something since then. */
  private boolean hurried;

  OutageHandling(OutagePolicy policy, StoreContact contact, SyncPace pace, CellClock clock) {
    this.policy = policy;
    this.contact = contact;
    this.pace = pace;
    this.clock = clock;
    this.cutOffGrants = new CutOffGrants(pace.ttlNanos());
  }

  /** Records whether the store acknowledged the report of a limit. */
  void reportAcknowledged(SharedLimit limit, boolean noted) {
    if (noted) {
      unnoted.remove(limit);
    } else if (policy != OutagePolicy.PARK) { // slices end by themselves
      unnoted.add(limit);
    }
  }

  /** Forgets a limit that is no longer shared. */
  void forget(SharedLimit limit) {
    unnoted.remove(limit);
    cutOffAlone.remove(limit);
  }

  /**
   * Makes limits behave as they must from now on.
   *
   * @param eased receives code to run without the lock
   */
  void apply(Collection<SharedLimit> limits, boolean learning, long now, List<Runnable> eased) {
    List<SharedLimit> changed = new ArrayList<>(cutOffAlone);
    changed.removeAll(unnoted);
    changed.forEach(cutOffAlone::remove);
    for (SharedLimit each : unnoted) {
      if (now >= each.acknowledgedNanos() + pace.ttlNanos() && cutOffAlone.add(each)) {
        changed.add(each);
      }
    }
    boolean all = contact.changes(learning, now);
    if (all) {
      cutOffGrants.begin();
    }
    for (SharedLimit each : all ? limits : changed) {
      each.limit().sharing().dropSlices();
      if (cutOffAlone.contains(each)) {
        contact.applyApart(each.limit());
      } else {
        contact.apply(each.limit());
      }
      eased.add(each.demand()::wake);
    }
  }

  /** Returns the limits that this instance has its own share of. */
  private Collection<SharedLimit> parted(Collection<SharedLimit> limits) {
    if (contact.parts() > 0) {
      return limits;
    }
    return policy == OutagePolicy.SHARE ? cutOffAlone : List.of();
  }

  /** Grants these limits their shares, in windows of the local clock. */
  void grant(Collection<SharedLimit> limits, StoreLives lives, long now, List<Runnable> eased) {
    aloneAt = now; // set even without such limits, or this would be due again at once
    hurried = false;
    Collection<SharedLimit> divided = parted(limits);
    if (divided.isEmpty()) {
      return;
    }
    long parts = contact.parts() > 0 ? contact.parts() : contact.members();
    CellClock own = new CellClock();
    long shared = clock.earliest(now) / 2 + clock.latest(now) / 2;
    own.addReading(now, now, shared, 0);
    for (SharedLimit limit : divided) {
      limit.alone();
      SliceStore.Ask ask = limit.ask(own, false, lives, SharedLimit.STOCKED_NANOS, now);
      SliceStore.Grant grant = ask == null ? null : cutOffGrants.grant(ask, parts, shared);
      if (grant != null) {
        limit.grantedAlone(grant.slices(), own, now + pace.ttlNanos(), now);
        eased.add(limit.demand()::wake);
      }
    }
  }

  /**
   * Returns whether shares are due to be granted.
   *
   * @param hurries whether a ticket lacks something that a round may bring
   */
  boolean grants(boolean hurries, long now) {
    hurried |= hurries; // the next round keeps its own record of this
    return now >= grantsAt();
  }

  private long grantsAt() {
    if (contact.parts() == 0 && (policy != OutagePolicy.SHARE || cutOffAlone.isEmpty())) {
      return Ticker.NEVER;
    }
    return aloneAt + (hurried ? pace.leastNanos() : pace.intervalNanos());
  }

  /** Returns the next instant at which there is something to do here. */
  long next() {
    boolean connected = contact.cutOffNanos() == StoreContact.CONNECTED;
    return Math.min(grantsAt(), connected ? contact.endsNanos() : Ticker.NEVER);
  }
}
