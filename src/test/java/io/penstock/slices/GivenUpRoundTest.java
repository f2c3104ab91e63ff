package io.penstock.slices;

import static io.penstock.slices.SliceWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.fake.FakeTicker;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.MemorySliceStore;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SliceStore;
import io.penstock.time.StepAlarm;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests one instance after its answers begin to be held back. */
class GivenUpRoundTest {
  private static final LimitSpec SPEC = new LimitSpec.FixedWindow(100, 1_000 * SECOND);
  private static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "a", "", LimitMeasure.TOKENS, 1_000 * SECOND);

  private final FakeTicker ticker = new FakeTicker();
  private final MemorySliceStore store = new MemorySliceStore(ticker, SliceWorld.TTL, "life");
  private final List<SliceStore.Round> sent = new ArrayList<>();
  private final List<Runnable> held = new ArrayList<>();
  private boolean holds;
  private long sentAt;
  private final ArrayDeque<Runnable> soon = new ArrayDeque<>();
  private Runnable later = () -> {};
  private long alarm;

  private final StepAlarm alarms =
      new StepAlarm() {
        @Override
        public void soon(Runnable step) {
          soon.add(step);
        }

        @Override
        public void at(long instantNanos, Runnable step) {
          alarm = instantNanos;
          later = step;
        }
      };

  private final SliceSync sliceSync =
      new SliceSync(
          "a", this::round, ticker, alarms, SliceWorld.PACE, OutagePolicy.PARK, () -> 0.5);

  private CompletionStage<SliceStore.Answer> round(SliceStore.Round round) {
    sent.add(round);
    sentAt = ticker.nanos();
    CompletableFuture<SliceStore.Answer> back = new CompletableFuture<>();
    SliceStore.Answer answer = store.round(round).toCompletableFuture().join();
    if (holds) {
      held.add(() -> back.complete(answer));
    } else {
      back.complete(answer);
    }
    return back;
  }

  private void run(long until) {
    while (!soon.isEmpty() || alarm <= until) {
      Runnable next = soon.poll();
      if (next == null) {
        ticker.set(Math.max(ticker.nanos(), alarm));
        next = later;
      }
      next.run();
    }
    ticker.set(until);
  }

  @Test
  void answerOfARoundThatWasGivenUp_isNotTakenForThatOfTheNext() {
    ticker.set(5 * SECOND);
    Limit limit = new SharedLimitSource(sliceSync, id -> true).limit(ID, SPEC, ticker.nanos());
    sliceSync.start();
    run(8 * SECOND);
    holds = true;
    assertThat(limit.take(Weight.exactly(60), ticker.nanos())).isInstanceOf(LimitAnswer.Wait.class);
    run(ticker.nanos() + SliceWorld.PACE.timeoutNanos() + SliceWorld.PACE.leastNanos());
    assertThat(held).as("the one given up, and the next one").hasSize(2);
    assertThat(sent.getLast().asks())
        .singleElement()
        .satisfies(ask -> assertThat(ask.uses()).as("what it was granted is not had").isEmpty());
    held.getFirst().run();
    run(ticker.nanos() + 1);
    assertThat(limit.room(ticker.nanos())).isZero();
    held.getLast().run();
    run(ticker.nanos() + 1);
    assertThat(limit.room(ticker.nanos())).isGreaterThanOrEqualTo(60);
  }

  static List<LimitSpec> kindsWithoutShorterCells() {
    return List.of(SPEC, LimitKinds.SPAN, new LimitSpec.Concurrency(100));
  }

  /** After that time the store counts the slices as unspent, and may grant them to others. */
  @ParameterizedTest
  @MethodSource("kindsWithoutShorterCells")
  void answerThatIsLate_bringsSlicesThatEndASliceTtlAfterItsRequest(LimitSpec spec) {
    ticker.set(5 * SECOND);
    Limit limit = new SharedLimitSource(sliceSync, id -> true).limit(ID, spec, ticker.nanos());
    sliceSync.start();
    run(8 * SECOND);
    holds = true;
    assertThat(limit.take(Weight.exactly(60), ticker.nanos())).isInstanceOf(LimitAnswer.Wait.class);
    run(ticker.nanos() + SliceWorld.PACE.leastNanos());
    long asked = sentAt;
    run(asked + SliceWorld.PACE.timeoutNanos() - 1);
    assertThat(held).hasSize(1);
    held.getFirst().run();
    run(ticker.nanos());

    run(asked + SliceWorld.TTL - 1);
    assertThat(limit.room(ticker.nanos())).isGreaterThanOrEqualTo(60);
    run(asked + SliceWorld.TTL);
    assertThat(limit.room(ticker.nanos())).isZero();
  }

  /** Without an answer, the instance does not know when the day of its grants began. */
  @ParameterizedTest
  @MethodSource("kindsWithoutShorterCells")
  void noAnswerCameInTime_nothingOfTheLimitIsLost(LimitSpec spec) {
    ticker.set(5 * SECOND);
    Limit limit = new SharedLimitSource(sliceSync, id -> true).limit(ID, spec, ticker.nanos());
    sliceSync.start();
    run(8 * SECOND);
    long all = limit.capacity(ticker.nanos());
    holds = true;
    assertThat(limit.take(Weight.exactly(all / 3), ticker.nanos()))
        .isInstanceOf(LimitAnswer.Wait.class);
    run(20 * SECOND);
    assertThat(held).as("more than the limit, all in all").hasSizeGreaterThan(3);
    holds = false;
    run(23 * SECOND);

    limit.take(Weight.exactly(all), ticker.nanos()); // asks for all of it, and waits
    run(24 * SECOND);
    assertThat(limit.take(Weight.exactly(all), ticker.nanos()))
        .isInstanceOf(LimitAnswer.Receipt.class);
  }
}
