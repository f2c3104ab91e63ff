package io.penstock.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Measure;
import io.penstock.cost.Weight;
import io.penstock.event.Event;
import io.penstock.event.Event.Synced.Change;
import io.penstock.fake.FakeTicker;
import io.penstock.fake.RecordedEvents;
import io.penstock.limit.Answer;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.Counts;
import io.penstock.quota.LimitId;
import io.penstock.quota.MemoryCounts;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the behaviour of limits counted with other instances while their counts cannot be read. */
class ExchangeOutageTest {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final long UNIX_MILLIS = 1_800_000_000_000L;
  private static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "a", "", Measure.REQUESTS, 60 * SECOND);
  private static final LimitSpec SPEC = new LimitSpec.FixedWindow(100, 60 * SECOND);

  private final FakeTicker ticker = new FakeTicker();
  private final MemoryCounts counts = new MemoryCounts(() -> UNIX_MILLIS);
  private final Limit limit = new Limit(SPEC, 0);
  private final AtomicInteger woken = new AtomicInteger();
  private final RecordedEvents events = new RecordedEvents();
  private boolean away;

  private CompletionStage<List<Counts.Count>> exchange(String writer, List<Counts.Count> own) {
    return away
        ? CompletableFuture.failedStage(new IllegalStateException("away"))
        : counts.exchange(writer, own);
  }

  private Exchange joined(OnOutage policy) {
    Exchange exchange =
        new Exchange(
            this::exchange,
            "here",
            ticker,
            () -> UNIX_MILLIS + ticker.nanos() / MILLI,
            new Exchange.Terms(100 * MILLI, SECOND, 2 * SECOND, policy));
    exchange.tell(events);
    exchange.join(ID, limit, true);
    Objects.requireNonNull(limit.demand()).join(woken::incrementAndGet);
    return exchange;
  }

  private void run(Exchange exchange, long nanos) {
    for (long end = ticker.nanos() + nanos; ticker.nanos() < end; ) {
      ticker.advance(50 * MILLI);
      exchange.step();
    }
  }

  private boolean takes(long amount) {
    return limit.take(Weight.exactly(amount), ticker.nanos()) instanceof Answer.Receipt;
  }

  @ParameterizedTest
  @EnumSource(
      value = OnOutage.class,
      names = {"PARK", "SHARE"})
  void storeAway_goesOnWithOwnCounts(OnOutage policy) {
    Exchange exchange = joined(policy);
    away = true;
    run(exchange, 5 * SECOND);
    assertThat(takes(100)).isTrue();
    assertThat(takes(1)).isFalse();
    assertThat(limit.refusal()).isNull();
  }

  @Test
  void allow_letsAllPassAndTellsItAfterwards() {
    Exchange exchange = joined(OnOutage.ALLOW);
    run(exchange, SECOND);
    assertThat(takes(100)).isTrue();
    away = true;
    run(exchange, SECOND);
    assertThat(takes(1)).isFalse();
    woken.set(0);
    run(exchange, 2 * SECOND);
    assertThat(woken).hasPositiveValue();
    assertThat(takes(70)).isTrue();
    limit.charge(7, 0, ticker.nanos());
    away = false;
    run(exchange, 200 * MILLI);
    assertThat(takes(1)).isFalse();
    assertThat(
            counts.exchange("there", List.of()).toCompletableFuture().getNow(List.of()).stream()
                .mapToLong(Counts.Count::amount))
        .containsExactly(177L);
    ticker.advance(60 * SECOND);
    assertThat(takes(100)).as("nobody owes anything for it").isTrue();
  }

  @Test
  void refuse_saysSoUntilThereIsAnAnswer() {
    Exchange exchange = joined(OnOutage.REFUSE);
    run(exchange, SECOND);
    away = true;
    run(exchange, 3 * SECOND);
    assertThat(limit.refusal()).isNotNull();
    assertThat(takes(1)).isFalse();
    away = false;
    woken.set(0);
    run(exchange, 200 * MILLI);
    assertThat(limit.refusal()).isNull();
    assertThat(woken).hasPositiveValue();
    assertThat(takes(1)).isTrue();
  }

  @Test
  void joinedWhileAway_doesAsAllOthers() {
    Exchange exchange = joined(OnOutage.REFUSE);
    away = true;
    run(exchange, 3 * SECOND);
    Limit later = new Limit(SPEC, 0);
    exchange.join(
        new LimitId(LimitId.Kind.KEY, "b", "", Measure.REQUESTS, 60 * SECOND), later, true);
    assertThat(later.refusal()).isNotNull();
  }

  @Test
  void limitThatIsOnlyKnown_isNotCutOff() {
    Exchange exchange = joined(OnOutage.REFUSE);
    Limit known = new Limit(SPEC, 0);
    exchange.join(
        new LimitId(LimitId.Kind.UPSTREAM, "b", "", Measure.REQUESTS, 60 * SECOND), known, false);
    away = true;
    run(exchange, 3 * SECOND);
    assertThat(known.refusal()).isNull();
    assertThat(known.take(Weight.exactly(1), ticker.nanos())).isInstanceOf(Answer.Receipt.class);
  }

  @ParameterizedTest
  @CsvSource({
    "PARK, 'eventual limits count this instance alone'",
    "SHARE, 'eventual limits count this instance alone'",
    "ALLOW, 'eventual limits let all pass'",
    "REFUSE, 'eventual limits refuse'"
  })
  void storeAwayAndBack_isSaidOnceEach(OnOutage policy, String follows) {
    Exchange exchange = joined(policy);
    run(exchange, 10 * SECOND);
    assertThat(events.all()).isEmpty();
    away = true;
    run(exchange, 30 * SECOND);
    away = false;
    run(exchange, 30 * SECOND);
    List<Event.Synced> said = events.of(Event.Synced.class);
    assertThat(said.stream().map(Event.Synced::change))
        .containsExactly(Change.CUT_OFF, Change.REJOINED);
    assertThat(said).allMatch(each -> "eventual".equals(each.sharing()) && each.members() == 0);
    assertThat(said.getFirst().detail()).contains(follows, policy.text());
  }

  @Test
  void storeAway_isNotSaidWhereNoLimitIsCountedTogether() {
    Exchange exchange = joined(OnOutage.PARK);
    exchange.leave(ID);
    away = true;
    run(exchange, 30 * SECOND);
    assertThat(events.all()).isEmpty();
  }
}
