package io.penstock.slices;

import static io.penstock.slices.SliceWorld.MILLI;
import static io.penstock.slices.SliceWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.SliceDemand;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.MemorySliceStore;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SliceStore;
import io.penstock.suite.TaggedTests;
import io.penstock.time.StepAlarm;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests one instance with ten thousand limits, and a store that needs time for each ask. */
class ManyLimitsTest {
  private static final int LIMITS = 10_000;

  /** Approximate time of a real store, including the network, on a small machine. */
  private static final long ASK_NANOS = 160_000;

  private static final LimitSpec SPEC = new LimitSpec.FixedWindow(1_000, 60 * SECOND);

  private record Happening(long at, long order, Runnable what) {}

  private final PriorityQueue<Happening> happenings =
      new PriorityQueue<>(
          Comparator.comparingLong(Happening::at).thenComparingLong(Happening::order));
  private final List<SliceStore.Round> sent = new ArrayList<>();
  private final List<Limit> limits = new ArrayList<>();
  private MemorySliceStore store = new MemorySliceStore(this::now, SliceWorld.TTL, "life");
  private final SliceSync sliceSync =
      new SliceSync(
          "alone", this::carry, this::now, alarms(), SliceWorld.PACE, OutagePolicy.PARK, () -> 0.5);
  private long now = SliceWorld.START;
  private long orders;
  private long alarm;
  private long took;
  private long waited;
  private long longest;

  private long now() {
    return now;
  }

  private void at(long instant, Runnable what) {
    happenings.add(new Happening(Math.max(now, instant), orders++, what));
  }

  private StepAlarm alarms() {
    return new StepAlarm() {
      @Override
      public void soon(Runnable step) {
        ManyLimitsTest.this.at(now, step);
      }

      @Override
      public void at(long instant, Runnable step) {
        long mine = ++alarm;
        ManyLimitsTest.this.at(instant, () -> runIf(mine == alarm, step));
      }
    };
  }

  private static void runIf(boolean still, Runnable step) {
    if (still) {
      step.run();
    }
  }

  private CompletionStage<SliceStore.Answer> carry(SliceStore.Round round) {
    sent.add(round);
    CompletableFuture<SliceStore.Answer> answer = new CompletableFuture<>();
    SliceStore.Answer said = store.round(round).toCompletableFuture().join();
    at(now + MILLI + round.asks().size() * ASK_NANOS, () -> answer.complete(said));
    return answer;
  }

  private void run(long until) {
    while (!happenings.isEmpty() && happenings.peek().at() <= until) {
      Happening next = happenings.remove();
      now = next.at();
      next.what().run();
    }
    now = until;
  }

  private void start(int some) {
    for (int i = 0; i < some; i++) {
      LimitId id = new LimitId(LimitId.Kind.KEY, "k" + i, "", LimitMeasure.REQUESTS, 60 * SECOND);
      Limit limit = new Limit(SPEC, now);
      sliceSync.add(id, limit);
      limits.add(limit);
    }
    sliceSync.start();
    run(now + 10 * SECOND);
    sent.clear();
  }

  /** Uses the limits one after another, each once per {@code everyNanos}. */
  private void use(int some, long everyNanos, long until) {
    long begun = now;
    for (int i = 0; begun + i * (everyNanos / some) < until; i++) {
      Limit limit = limits.get(i % some);
      at(begun + i * (everyNanos / some), () -> take(limit));
    }
    run(until);
  }

  private void take(Limit limit) {
    long since = now;
    if (!took(limit, since)) {
      SliceDemand sliceDemand = Objects.requireNonNull(limit.sharing().demand());
      sliceDemand.join(
          new SliceDemand.Waiter() {
            @Override
            public void wake() {
              if (took(limit, since)) {
                sliceDemand.leave(this);
              }
            }
          });
    }
  }

  private boolean took(Limit limit, long since) {
    if (limit.take(Weight.exactly(1), now) instanceof LimitAnswer.Receipt) {
      took++;
      waited += now - since;
      longest = Math.max(longest, now - since);
      return true;
    }
    return false;
  }

  private long asks() {
    return sent.stream().mapToLong(round -> round.asks().size()).sum();
  }

  @Test
  @Tag(TaggedTests.FULL)
  void allInUse_roundsAreFewAndBoundedAndNobodyWaitsLong() {
    start(LIMITS);
    long from = now;
    use(LIMITS, 5 * SECOND, from + 30 * SECOND);
    run(now + SECOND);
    assertThat(took).isEqualTo(6L * LIMITS);
    assertThat(sent).allMatch(round -> round.asks().size() <= SliceSync.MOST_ASKS);
    assertThat(sent).hasSizeLessThanOrEqualTo(50 * 31);
    assertThat(asks()).isLessThan(6 * took);
    assertThat(longest).isLessThan(SECOND);
  }

  @Test
  void fewInUse_keepTheirStockAndHardlyEverWait() {
    start(100);
    use(100, 5 * SECOND, now + 60 * SECOND);
    assertThat(waited / took).isLessThan(MILLI);
  }

  @Test
  void idle_asksOnlyNotToBeForgotten() {
    start(200);
    use(200, 5 * SECOND, now + 10 * SECOND);
    run(now + 120 * SECOND);
    sent.clear();
    run(now + 60 * SECOND);
    assertThat(asks()).isZero();
    assertThat(sent).hasSizeLessThan(130);
    run(now + 3_600 * SECOND);
    assertThat(asks()).isBetween(4L * 200, 9L * 200);
  }

  @Test
  void moreThanOneRoundCanSay_isNotSaidToBeAll() {
    start(2_500);
    use(2_500, 5 * SECOND, now + 5 * SECOND);
    store = new MemorySliceStore(this::now, SliceWorld.TTL, "another life");
    sent.clear();
    run(now + 2 * SECOND);
    int all = 1; // with the answer to the first one it learns of the loss
    while (!sent.get(all).complete()) {
      all++;
    }
    assertThat(all).isGreaterThan(2);
    assertThat(spentIn(sent.subList(1, all))).isLessThan(2_500);
    assertThat(spentIn(sent.subList(1, all + 1))).isEqualTo(2_500);
  }

  private static long spentIn(List<SliceStore.Round> rounds) {
    return rounds.stream()
        .flatMap(round -> round.asks().stream())
        .filter(ask -> !ask.uses().isEmpty())
        .map(SliceStore.Ask::id)
        .distinct()
        .count();
  }
}
