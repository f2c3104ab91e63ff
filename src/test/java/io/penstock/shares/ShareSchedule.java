package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;

import io.penstock.shares.MemoryShareStore.Rule;
import io.penstock.shares.SpentLimit.Kind;
import io.penstock.shares.SpentLimit.Terms;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** A random run of a fleet with random faults. All of it follows from the seed. */
final class ShareSchedule {
  static final double SECONDS = 60;

  /** After a loss, an instance states within this time what it got before. */
  private static final double UNKNOWN_SECONDS = 4;

  final ShareWorld world;
  final List<String> faults = new ArrayList<>();
  private final Random random;
  private final double lease;
  private final boolean continues;
  private final boolean hasDays;
  private double stopped;
  private double lost;
  private MemoryShareStore snapshot;

  /** How often what an instance held was released, and when that was last. */
  int releases;

  long releasedNanos;

  ShareSchedule(long seed, Set<Rule> leftOut) {
    this(seed, leftOut, false);
  }

  /**
   * @param continues whether instances go on without the store. Then it concedes something if some
   *     are cut off and others are not, so that does not happen
   */
  ShareSchedule(long seed, Set<Rule> leftOut, boolean continues) {
    this(seed, leftOut, continues, false);
  }

  /**
   * @param real whether instances spend limits of the program, of which no day ends soon
   */
  ShareSchedule(long seed, Set<Rule> leftOut, boolean continues, boolean real) {
    this.continues = continues;
    this.random = new Random(seed * 7919 + 1);
    int count = one(2, 3, 3, 4);
    long window = one(3, 5, 8) * SECOND;
    long leaseNanos = one(2, 4) * SECOND;
    lease = leaseNanos / 1e9;
    Map<LimitId, Terms> limits = new LinkedHashMap<>();
    int many = one(1, 1, 2, 4);
    for (int i = 0; i < many; i++) {
      Kind day = real ? Kind.FIXED : Kind.DAY;
      Kind begun = real ? Kind.TRAILING : Kind.FIRST_USE;
      Kind kind =
          one(Kind.TRAILING, Kind.TRAILING, Kind.FIXED, day, begun, Kind.BUCKET, Kind.PERMITS);
      boolean isDay = kind == Kind.DAY || kind == Kind.FIRST_USE;
      long length = isDay ? 23 * SECOND : kind == Kind.PERMITS ? 3 * SECOND : window;
      limits.put(ShareWorld.limit("l" + i), new Terms(kind, one(3, 20, 300), length));
    }
    hasDays = limits.values().stream().anyMatch(each -> each.windowNanos() == 23 * SECOND);
    ShareTerms terms =
        new ShareTerms(
            leaseNanos,
            500 * MILLI,
            SECOND,
            100 * MILLI,
            leaseNanos + window + 3 * SECOND,
            continues);
    world =
        new ShareWorld(
            seed,
            new ShareWorld.Setting(
                terms,
                limits,
                one(5, 50, 400) * MILLI,
                continues ? 0 : one(0, 0, 5, 20),
                continues ? 0 : one(0, 0, 5),
                SECOND,
                50 * MILLI,
                15,
                20 * MILLI,
                leftOut),
            real);
    snapshot = world.empty();
    boolean some = false;
    for (int i = 0; i < count; i++) {
      int clients = one(0, 2, 6);
      some |= clients > 0;
      world.join(i, i == count - 1 && !some ? 6 : clients);
    }
    double at = 6;
    while (at < SECONDS - 15) {
      at += 0.2 + random.nextDouble() * 5.8;
      fault(at, one(0.1, 0.5, 1.5, 3.0, 6.0, 12.0), random.nextInt(count));
    }
  }

  @SafeVarargs
  private final <T> T one(T... of) {
    return of[random.nextInt(of.length)];
  }

  private void fault(double at, double lasts, int which) {
    String kind =
        one(
            "data", "empty", "older", "crash", "pause", "flush", "cut", "join", "split", "leave",
            "remove");
    if (continues && Set.of("cut", "split").contains(kind)) {
      return;
    }
    if (hasDays && isConceded(kind, at, lasts)) {
      return;
    }
    faults.add("%.2f %s %.1f s, m%d".formatted(at, kind, lasts, which));
    switch (kind) {
      case "data" -> {
        world.atSecond(at, world::storeGoes);
        world.atSecond(at + lasts, () -> world.storeReturns(world.store));
      }
      case "empty" -> {
        world.atSecond(at, world::storeGoes);
        world.atSecond(at + lasts, () -> world.storeReturns(world.empty()));
      }
      case "older" -> {
        world.atSecond(at - Math.min(3, lasts) * 0.5, () -> snapshot = world.snapshot());
        world.atSecond(at, world::storeGoes);
        world.atSecond(at + lasts, () -> world.storeReturns(snapshot));
      }
      case "crash" -> {
        world.atSecond(at, () -> world.nodes.get(which).crash());
        world.atSecond(at + lasts, () -> again(which));
      }
      case "leave" -> {
        world.atSecond(at, () -> world.nodes.get(which).leave());
        world.atSecond(at + lasts, () -> again(which));
      }
      case "pause" -> {
        world.atSecond(at, () -> world.nodes.get(which).pause());
        world.atSecond(at + lasts, () -> world.nodes.get(which).resume());
      }
      case "flush" -> world.atSecond(at, () -> world.store.flush());
      case "cut" -> {
        world.atSecond(at, () -> world.nodes.get(which).cut(true));
        world.atSecond(at + lasts, () -> world.nodes.get(which).cut(false));
      }
      case "remove" -> {
        LimitId id = ShareWorld.limit("l" + random.nextInt(world.setting.limits().size()));
        world.atSecond(at, () -> world.nodes.get(which).remove(id));
        world.atSecond(at + lasts, () -> world.nodes.get(which).add(id));
      }
      case "join" -> world.atSecond(at, () -> world.join(world.nodes.size(), 3));
      default -> split(at, Math.min(lasts, lease * 0.8), which);
    }
  }

  /**
   * Returns whether a fault may make a day limit exceed: a split, because a day is too long to wait
   * for what the other side has granted, and an instance that stops while the store loses its data,
   * because what it got in the last seconds is known to nobody.
   */
  private boolean isConceded(String kind, double at, double lasts) {
    boolean loses = Set.of("empty", "older", "flush").contains(kind);
    boolean stops = Set.of("crash", "leave", "cut", "pause").contains(kind);
    if (kind.equals("split") || (loses && at < stopped) || (stops && at < lost)) {
      return true;
    }
    stopped = stops ? Math.max(stopped, at + lasts + UNKNOWN_SECONDS) : stopped;
    lost = loses ? Math.max(lost, at + lasts + UNKNOWN_SECONDS) : lost;
    return false;
  }

  /** Lets operators say again and again, until {@code end}, that the stopped instances are gone. */
  void release(long seed, double end) {
    Random asks = new Random(seed);
    for (double at = 6; at < end; at += 0.1 + 2 * asks.nextDouble()) {
      world.atSecond(at, () -> releaseAll(asks));
    }
  }

  private void releaseAll(Random asks) {
    ShareWorld.Node asked = world.nodes.get(asks.nextInt(world.nodes.size()));
    if (asked.isAlive()) {
      ShareSlots slots = new ShareSlots(List.of(asked.sync));
      for (ShareFigures.Member each : asked.sync.figures().members()) {
        var _ = slots.release(each.name()).thenAccept(this::released);
      }
    }
  }

  private void released(ShareRelease release) {
    if (release.slots() > 0) {
      releases++;
      releasedNanos = world.now();
    }
  }

  private void again(int which) {
    if (!world.nodes.get(which).isAlive()) {
      world.join(which, 3);
    }
  }

  /** A copy that lags is promoted, while one instance goes on with the old one. */
  private void split(double at, double lasts, int which) {
    world.atSecond(
        at,
        () -> {
          world.nodes.get(which).see(world.store);
          world.store = world.snapshot();
        });
    world.atSecond(at + lasts, () -> world.nodes.get(which).see(null));
  }

  ShareOracle.Worst run() {
    world.run(SECONDS);
    return world.oracle.worst(world.setting.limits());
  }
}
