package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests how an instance states the rest of a limit after another one has spent it. */
class WholeLimitTest {
  private static final long MINUTE = 60 * SECOND;
  private static final long NEAR = 2 * SECOND;
  private static final ShareTerms TERMS =
      new ShareTerms(4 * SECOND, SECOND, SECOND, 100 * MILLI, SECOND, true);

  private final ShareWorld world =
      new ShareWorld(
          1,
          new ShareWorld.Setting(
              TERMS, Map.of(), 5 * MILLI, 0, 0, 0, 50 * MILLI, 15, SECOND, Set.of()));

  /** One instance with one limit. */
  private final class Instance {
    private final ShareWorld.Node node = world.join(world.nodes.size(), 0);
    private final Limit limit;

    Instance(Kind kind) {
      LimitSpec spec = kind.spec().apply(() -> node.wall() / MILLI);
      LimitId id =
          new LimitId(LimitId.Kind.KEY, "a", "", LimitMeasure.REQUESTS, spec.windowNanos());
      SharedLimitSource source =
          new SharedLimitSource(
              new ShareSlots(List.of(node.sync)),
              any -> SharingMode.EXACT,
              new SharedLimit.Terms(OutagePolicy.CONTINUE, false, false, SECOND),
              node::clock,
              () -> node.wall() / MILLI);
      limit = source.limit(id, spec, node.clock());
    }

    boolean takes(long amount) {
      limit.recordDemand(amount, node.clock());
      return limit.take(Weight.exactly(amount), node.clock()) instanceof LimitAnswer.Receipt;
    }

    /** Takes units, one after the other, as one after the other is had. */
    void takesAll(int count, long eachNanos) {
      int left = count;
      for (int tries = 0; left > 0 && tries < 10 * count; tries++) {
        left -= takes(1) ? 1 : 0;
        world.run((double) (world.now() + eachNanos) / SECOND);
      }
      assertThat(left).isZero();
    }

    /** Asks for a unit for a while; returns for how long it has to wait still. */
    long asks() {
      for (int i = 0; i < 40; i++) {
        assertThat(takes(1)).isFalse();
        world.run((double) (world.now() + 50 * MILLI) / SECOND);
      }
      LimitAnswer answer = limit.decide(Weight.exactly(1), node.clock());
      long until = answer instanceof LimitAnswer.Wait(long instant) ? instant : Ticker.NEVER;
      return until == Ticker.NEVER ? until : until - node.clock();
    }

    long left() {
      return limit.remainder(node.clock()).amount();
    }

    long fullIn() {
      return limit.remainder(node.clock()).fullNanos() - node.clock();
    }
  }

  record Kind(String name, Function<WallClock, LimitSpec> spec) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Kind> kinds() {
    long unpaced = LimitSpec.TrailingWindow.UNPACED;
    return Stream.of(
        new Kind("trailing", wall -> new LimitSpec.TrailingWindow(100, MINUTE, 0, unpaced)),
        new Kind("guarded", wall -> new LimitSpec.TrailingWindow(100, MINUTE, SECOND, unpaced)),
        new Kind("sliding", wall -> new LimitSpec.SlidingWindow(100, MINUTE)),
        new Kind("fixed", wall -> new LimitSpec.FixedWindow(100, MINUTE)),
        new Kind("day", wall -> new LimitSpec.Day(100, new ZoneMidnights(ZoneOffset.UTC, wall), 0)),
        new Kind("first use", wall -> new LimitSpec.Day(100, null, 0)));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void spentByAnother_isLackingForAsLongAsThere(Kind kind) {
    Instance a = new Instance(kind);
    Instance b = new Instance(kind);
    world.run(12);
    a.takesAll(100, 20 * MILLI);
    long there = a.asks();
    long here = b.asks() + 2 * SECOND;
    assertThat(there).isLessThan(Ticker.NEVER / 2);
    assertThat(here).isCloseTo(there, within(NEAR));
    assertThat(List.of(a.left(), b.left())).containsOnly(0L);
    assertThat(b.fullIn()).isCloseTo(a.fullIn(), within(NEAR));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void partlySpentByAnother_isStatedByOneThatNeverAsked(Kind kind) {
    Instance a = new Instance(kind);
    Instance b = new Instance(kind);
    world.run(12);
    assertThat(b.left()).isEqualTo(100);
    a.takesAll(40, 100 * MILLI);
    world.run((double) world.now() / SECOND + 2.5);
    assertThat(List.of(a.left(), b.left())).containsOnly(60L);
    if (b.fullIn() > 0) { // it never asked for the beginning of such a day
      assertThat(b.fullIn()).isCloseTo(a.fullIn(), within(NEAR));
    } else {
      assertThat(kind.name()).isEqualTo("first use");
    }
  }

  @Test
  void storeAway_onlyOnesOwnRestIsStated_andNoTime() {
    Kind trailing = kinds().findFirst().orElseThrow();
    Instance a = new Instance(trailing);
    Instance b = new Instance(trailing);
    world.run(12);
    a.takesAll(40, 100 * MILLI);
    assertThat(b.takes(1)).isFalse();
    world.run((double) world.now() / SECOND + 1);
    assertThat(b.takes(1)).isTrue();
    world.storeGoes();
    world.run((double) world.now() / SECOND + 6);
    assertThat(b.left()).isLessThan(59).isEqualTo(b.limit.room(b.node.clock()));
  }
}
