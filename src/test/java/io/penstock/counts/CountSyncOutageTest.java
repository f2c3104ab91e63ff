package io.penstock.counts;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.event.Event;
import io.penstock.event.Event.Synced.Change;
import io.penstock.fake.FakeTicker;
import io.penstock.fake.RecordedEvents;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.CountStore;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.MemoryCountStore;
import io.penstock.sharing.OutagePolicy;
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
class CountSyncOutageTest {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final long UNIX_MILLIS = 1_800_000_000_000L;
  private static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "a", "", LimitMeasure.REQUESTS, 60 * SECOND);
  private static final LimitSpec SPEC = new LimitSpec.FixedWindow(100, 60 * SECOND);

  private final FakeTicker ticker = new FakeTicker();
  private final MemoryCountStore counts = new MemoryCountStore(() -> UNIX_MILLIS);
  private final Limit limit = new Limit(SPEC, 0);
  private final AtomicInteger woken = new AtomicInteger();
  private final RecordedEvents events = new RecordedEvents();
  private boolean away;

  private CompletionStage<List<CountStore.Count>> exchange(
      String writer, List<CountStore.Count> own) {
    return away
        ? CompletableFuture.failedStage(new IllegalStateException("away"))
        : counts.exchange(writer, own);
  }

  private CountSync joined(OutagePolicy policy) {
    CountSync countSync =
        new CountSync(
            this::exchange,
            "here",
            ticker,
            () -> UNIX_MILLIS + ticker.nanos() / MILLI,
            new CountSync.Terms(100 * MILLI, SECOND, 2 * SECOND, policy));
    countSync.setEventSink(events);
    countSync.join(ID, limit, true);
    Objects.requireNonNull(limit.sharing().demand()).join(woken::incrementAndGet);
    return countSync;
  }

  private void run(CountSync countSync, long nanos) {
    for (long end = ticker.nanos() + nanos; ticker.nanos() < end; ) {
      ticker.advance(50 * MILLI);
      countSync.step();
    }
  }

  private boolean takes(long amount) {
    return limit.take(Weight.exactly(amount), ticker.nanos()) instanceof LimitAnswer.Receipt;
  }

  @ParameterizedTest
  @EnumSource(
      value = OutagePolicy.class,
      names = {"CONTINUE", "PARK"})
  void storeAway_goesOnWithOwnCounts(OutagePolicy policy) {
    CountSync countSync = joined(policy);
    away = true;
    run(countSync, 5 * SECOND);
    assertThat(takes(100)).isTrue();
    assertThat(takes(1)).isFalse();
    assertThat(limit.sharing().refusal()).isNull();
  }

  @Test
  void allow_letsAllPassAndTellsItAfterwards() {
    CountSync countSync = joined(OutagePolicy.ALLOW);
    run(countSync, SECOND);
    assertThat(takes(100)).isTrue();
    away = true;
    run(countSync, SECOND);
    assertThat(takes(1)).isFalse();
    woken.set(0);
    run(countSync, 2 * SECOND);
    assertThat(woken).hasPositiveValue();
    assertThat(takes(70)).isTrue();
    limit.charge(7, 0, ticker.nanos());
    away = false;
    run(countSync, 200 * MILLI);
    assertThat(takes(1)).isFalse();
    assertThat(
            counts.exchange("there", List.of()).toCompletableFuture().getNow(List.of()).stream()
                .mapToLong(CountStore.Count::amount))
        .containsExactly(177L);
    ticker.advance(60 * SECOND);
    assertThat(takes(100)).as("nobody owes anything for it").isTrue();
  }

  @Test
  void refuse_saysSoUntilThereIsAnAnswer() {
    CountSync countSync = joined(OutagePolicy.REFUSE);
    run(countSync, SECOND);
    away = true;
    run(countSync, 3 * SECOND);
    assertThat(limit.sharing().refusal()).isNotNull();
    assertThat(takes(1)).isFalse();
    away = false;
    woken.set(0);
    run(countSync, 200 * MILLI);
    assertThat(limit.sharing().refusal()).isNull();
    assertThat(woken).hasPositiveValue();
    assertThat(takes(1)).isTrue();
  }

  @Test
  void joinedWhileAway_doesAsAllOthers() {
    CountSync countSync = joined(OutagePolicy.REFUSE);
    away = true;
    run(countSync, 3 * SECOND);
    Limit later = new Limit(SPEC, 0);
    countSync.join(
        new LimitId(LimitId.Kind.KEY, "b", "", LimitMeasure.REQUESTS, 60 * SECOND), later, true);
    assertThat(later.sharing().refusal()).isNotNull();
  }

  @Test
  void limitThatIsOnlyKnown_isNotCutOff() {
    CountSync countSync = joined(OutagePolicy.REFUSE);
    Limit known = new Limit(SPEC, 0);
    countSync.join(
        new LimitId(LimitId.Kind.UPSTREAM, "b", "", LimitMeasure.REQUESTS, 60 * SECOND),
        known,
        false);
    away = true;
    run(countSync, 3 * SECOND);
    assertThat(known.sharing().refusal()).isNull();
    assertThat(known.take(Weight.exactly(1), ticker.nanos()))
        .isInstanceOf(LimitAnswer.Receipt.class);
  }

  @ParameterizedTest
  @CsvSource({
    "PARK, 'eventual limits count this instance alone'",
    "CONTINUE, 'eventual limits count this instance alone'",
    "ALLOW, 'eventual limits let all pass'",
    "REFUSE, 'eventual limits refuse'"
  })
  void storeAwayAndBack_isSaidOnceEach(OutagePolicy policy, String follows) {
    CountSync countSync = joined(policy);
    run(countSync, 10 * SECOND);
    assertThat(events.all()).isEmpty();
    away = true;
    run(countSync, 30 * SECOND);
    away = false;
    run(countSync, 30 * SECOND);
    List<Event.Synced> said = events.of(Event.Synced.class);
    assertThat(said.stream().map(Event.Synced::change))
        .containsExactly(Change.CUT_OFF, Change.REJOINED);
    assertThat(said).allMatch(each -> "eventual".equals(each.sharing()) && each.members() == 0);
    assertThat(said.getFirst().detail()).contains(follows, policy.text());
  }

  @Test
  void storeAway_isNotSaidWhereNoLimitIsCountedTogether() {
    CountSync countSync = joined(OutagePolicy.PARK);
    countSync.leave(ID);
    away = true;
    run(countSync, 30 * SECOND);
    assertThat(events.all()).isEmpty();
  }
}
