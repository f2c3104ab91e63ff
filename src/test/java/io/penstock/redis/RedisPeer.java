package io.penstock.redis;

import io.penstock.cost.LimitMeasure;
import io.penstock.counts.RedisCountStore;
import io.penstock.fake.PatientWaits;
import io.penstock.limit.CellAmount;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.CountStore;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.SliceFixture;
import io.penstock.sharing.SliceStore.Answer;
import io.penstock.sharing.SliceStore.Ask;
import io.penstock.slices.RedisSliceStore;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One instance from the view of Redis: its link, with slices and counts over that. */
final class RedisPeer implements AutoCloseable {
  static final String NAMESPACE = "ns";
  private static final long SECOND = 1_000_000_000L;
  private static final int TIMEOUT_MILLIS = 2_000;
  private static final LimitSpec LIMIT = new LimitSpec.FixedWindow(1_000_000, 3_600 * SECOND);

  final RedisLink link;
  final RedisSliceStore supply;
  final RedisCountStore counts;
  private final String name;
  private long number;

  RedisPeer(String name, RedisAddress address, @Nullable RedisTrust trust) {
    this.name = name;
    // A breaker never waits if its clock advances an hour between two looks.
    long[] hours = {0};
    Ticker hasty = () -> ++hours[0] * 3_600 * SECOND;
    link = new RedisLink(address, trust, TIMEOUT_MILLIS, Ticker.system());
    supply = new RedisSliceStore(link, NAMESPACE, 2 * SECOND, hasty, WallClock.system());
    counts = new RedisCountStore(link, NAMESPACE, hasty, WallClock.system());
  }

  RedisPeer(String name, String url) {
    this(name, RedisAddress.parse(url, null, null), null);
  }

  static LimitId id(String limit) {
    return new LimitId(LimitId.Kind.KEY, limit, "", LimitMeasure.TOKENS, 3_600 * SECOND);
  }

  /** Returns the key of a limit. */
  static String key(String limit) {
    return NAMESPACE + ":" + id(limit).text();
  }

  static Ask ask(String limit, long wanted) {
    return new Ask(id(limit), LIMIT, 0, List.of(), 0, wanted, Ask.NONE, Ask.NONE);
  }

  Answer round(Ask... asks) {
    return PatientWaits.join(supply.round(SliceFixture.round(name, ++number, List.of(asks))));
  }

  /** Returns why a round fails, or null. */
  @Nullable RedisTrouble trouble() {
    try {
      round(ask("probe", 0));
      return null;
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RedisTrouble trouble) {
        return trouble;
      }
      throw failed;
    }
  }

  /** Makes rounds until one succeeds; returns the next one. */
  Answer well(Ask... asks) {
    PatientWaits.await("a round that goes well").until(() -> trouble() == null);
    return round(asks);
  }

  /** Makes rounds until one fails in that way; returns the failure. */
  RedisTrouble awaitTrouble(RedisTrouble.Kind kind) {
    AtomicReference<@Nullable RedisTrouble> last = new AtomicReference<>();
    PatientWaits.await("trouble " + kind)
        .until(
            () -> {
              RedisTrouble trouble = trouble();
              last.set(trouble);
              return trouble != null && trouble.kind() == kind;
            });
    return Objects.requireNonNull(last.get());
  }

  /** Reports counts, and returns those of the others. */
  List<CountStore.Count> exchange(CountStore.Count... own) {
    return PatientWaits.join(counts.exchange(name, List.of(own)));
  }

  /** Returns a count of the running hour. */
  static CountStore.Count count(String limit, long amount) {
    return new CountStore.Count(id(limit), WallClock.system().unixMillis() / 3_600_000, amount);
  }

  static long sum(Answer answer) {
    return answer.grants().stream()
        .flatMap(grant -> grant.slices().stream())
        .mapToLong(CellAmount::amount)
        .sum();
  }

  @Override
  public void close() {
    link.close();
  }
}
