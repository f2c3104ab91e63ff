package io.penstock.slices;

import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.StoreContact;
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

  /** Limits with an unacknowledged last report. */
  private final Set<SharedLimit> unnoted = new HashSet<>();

  /** Those of them that have been unacknowledged for longer than slices last. */
  private final Set<SharedLimit> cutOffAlone = new HashSet<>();

  OutageHandling(OutagePolicy policy, StoreContact contact, SyncPace pace) {
    this.policy = policy;
    this.contact = contact;
    this.pace = pace;
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
    for (SharedLimit each : all ? limits : changed) {
      each.limit().sharing().dropSlices();
      if (cutOffAlone.contains(each)) {
        contact.applyApart(each.limit(), now);
      } else {
        contact.apply(each.limit(), now);
      }
      eased.add(each.demand()::wake);
    }
  }

  /** Returns the next instant at which there is something to do here. */
  long next() {
    return contact.cutOffNanos() == StoreContact.CONNECTED ? contact.endsNanos() : Ticker.NEVER;
  }
}
