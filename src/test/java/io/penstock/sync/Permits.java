package io.penstock.sync;

import io.penstock.sim.SimRelease;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Who runs on a permit. What began before its member was not heard for as long as it lives may be
 * over or not: its permit is another's by then, and it counts no more.
 */
final class Permits {
  private final Map<String, Long> heard = new HashMap<>();

  /** When each was heard again, at last, that had not been for too long. */
  private final Map<String, Long> again = new HashMap<>();

  private final Set<SimRelease> running = new HashSet<>();

  /** A member speaks of its permits. */
  void heard(String member, long now) {
    if (isSilent(member, now)) {
      again.put(member, now);
    }
    heard.put(member, now);
  }

  private boolean isSilent(String member, long now) {
    return now - heard.getOrDefault(member, Long.MIN_VALUE / 2) > World.TTL;
  }

  /** Begins, and takes note of how many run that count. */
  void begin(SimRelease release) {
    running.add(release);
    release.together = running.stream().filter(each -> counts(each, release.at)).count();
  }

  private boolean counts(SimRelease release, long now) {
    String member = release.by;
    return !isSilent(member, now) && again.getOrDefault(member, Long.MIN_VALUE) <= release.at;
  }

  /** Returns how many run. */
  int running() {
    return running.size();
  }

  void end(SimRelease release) {
    running.remove(release);
  }

  /** All that runs there ends. */
  void end(Node node) {
    running.removeIf(each -> each.by.equals(node.name()));
  }
}
