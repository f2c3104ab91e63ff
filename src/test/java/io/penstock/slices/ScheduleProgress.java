package io.penstock.slices;

import static io.penstock.slices.SliceWorld.START;

import io.penstock.limit.LimitSpec;
import io.penstock.simulator.SimWindows;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the members of a schedule make progress: no request waits at a member whose limit has
 * room, and once all faults are over and made good, a limit with waiting requests is used.
 */
final class ScheduleProgress {

  private final SliceWorld world;

  /** By member with room for its first request: since when. */
  private final Map<SliceNode, Long> held = new HashMap<>();

  private @Nullable String fault;
  private long wellFrom = Long.MAX_VALUE;
  private boolean alwaysAsked = true;
  private long quietFrom;
  private long longestSilence;
  private int released;
  private long runNanos;
  private long runningFrom;
  private int running;

  ScheduleProgress(SliceWorld world) {
    this.world = world;
  }

  /** Sets the instant from which on all faults are over and made good. */
  void wellFrom(long instant) {
    wellFrom = instant;
    quietFrom = instant;
    runningFrom = instant;
  }

  /**
   * Records an instant after which nothing more happens at the same time: each request that could
   * pass has passed.
   */
  void rested() {
    long now = world.now();
    boolean asked = false;
    for (SliceNode node : world.nodes) {
      asked |= node.serves() && node.waits() > 0;
      look(node, now);
    }
    boolean went = world.releases.size() > released;
    released = world.releases.size();
    if (now < wellFrom) {
      return;
    }
    alwaysAsked &= asked;
    longestSilence = Math.max(longestSilence, went || !asked ? 0 : now - quietFrom);
    quietFrom = went || !asked ? now : quietFrom;
    runNanos += running * (now - runningFrom);
    runningFrom = now;
    running = world.permits.running();
  }

  private void look(SliceNode node, long now) {
    if (!node.admitsFirst()) {
      held.remove(node);
    } else if (now - held.computeIfAbsent(node, absent -> now) > world.wayNanos()) {
      // the start of a store's window is only known up to the delay of messages
      fault =
          "%s keeps one waiting that has had room since %d ns, at %d"
              .formatted(node.name(), now - held.get(node), now);
    }
  }

  /** Returns the last case of a request that waited although its limit had room; null for none. */
  @Nullable String fault() {
    return fault;
  }

  /** Returns the longest time without a release while requests waited, in nanoseconds. */
  long longestSilence() {
    return longestSilence;
  }

  /**
   * Returns the share of the limit that was used since recovery. Returns null where that means
   * nothing: for some time no request waited, or it is unknown how much of the running window is
   * spent. The part of a day granted to a member is lost until the day ends if the member crashed,
   * or left while it could not reach the store.
   */
  @Nullable Double used() {
    boolean lostDay =
        world.spec instanceof LimitSpec.Day && !world.nodes.stream().allMatch(SliceNode::serves);
    if (!alwaysAsked || isBarred() || lostDay) {
      return null;
    }
    if (world.spec instanceof LimitSpec.Concurrency permits) {
      return (double) runNanos / permits.max() / (world.now() - wellFrom);
    }
    long from = owesForLong() ? START : wellFrom;
    return SimWindows.used(world.spec, world.releases, from, world.now());
  }

  /** Returns whether an excess may be owed for longer than the schedule lasts. */
  boolean owesForLong() {
    return SimWindows.owesForLong(world.spec, world.onOutage);
  }

  private boolean isBarred() {
    return world.nodes.stream()
        .filter(SliceNode::serves)
        .anyMatch(node -> node.limit().sharing().isBarred(1, node.local()));
  }
}
