package io.penstock.slices;

import io.penstock.simulator.SimRelease;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Running requests with permits. A request that began before its member was silent for longer than
 * the lifetime of slices may have ended or not; another member may have its permit by then, so it
 * no longer counts.
 */
final class RunningPermits {
  private final Map<String, Long> heartbeats = new HashMap<>();

  /** By member: the last time it was heard again after too long a silence. */
  private final Map<String, Long> again = new HashMap<>();

  private final Set<SimRelease> running = new HashSet<>();

  /** Records that a member reported its permits. */
  void heard(String member, long now) {
    if (isSilent(member, now)) {
      again.put(member, now);
    }
    heartbeats.put(member, now);
  }

  private boolean isSilent(String member, long now) {
    return now - heartbeats.getOrDefault(member, Long.MIN_VALUE / 2) > SliceWorld.TTL;
  }

  /** Begins a request, and records how many running requests count. */
  void begin(SimRelease release) {
    running.add(release);
    release.together = running.stream().filter(each -> counts(each, release.at)).count();
  }

  private boolean counts(SimRelease release, long now) {
    String member = release.by;
    return !isSilent(member, now) && again.getOrDefault(member, Long.MIN_VALUE) <= release.at;
  }

  /** Returns the number of running requests. */
  int running() {
    return running.size();
  }

  void end(SimRelease release) {
    running.remove(release);
  }

  /** Ends all requests of a member. */
  void end(SliceNode node) {
    running.removeIf(each -> each.by.equals(node.name()));
  }
}
