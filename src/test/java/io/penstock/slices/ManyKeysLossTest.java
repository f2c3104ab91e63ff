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
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests two instances that share twenty thousand daily limits when the store loses all data: their
 * reports take longer than the lifetime of slices.
 */
@Tag(TaggedTests.FULL)
class ManyKeysLossTest {
  private static final int KEYS = 20_000;
  private static final int SOME = 100;
  private static final long LIMIT = 1_000;

  /** Approximate time of a real store for an ask, one after another, on a small machine. */
  private static final long ASK_NANOS = 160_000;

  private record Happening(long at, long order, Runnable what) {}

  private final PriorityQueue<Happening> happenings =
      new PriorityQueue<>(
          Comparator.comparingLong(Happening::at).thenComparingLong(Happening::order));
  private MemorySliceStore store = new MemorySliceStore(this::now, SliceWorld.TTL, "data");
  private long now = SliceWorld.START;
  private long orders;
  private long busyUntil;
  private long used;

  private long now() {
    return now;
  }

  private void at(long instant, Runnable what) {
    happenings.add(new Happening(Math.max(now, instant), orders++, what));
  }

  private void runFor(long nanos) {
    long until = now + nanos;
    while (!happenings.isEmpty() && happenings.peek().at() <= until) {
      Happening next = happenings.remove();
      now = next.at();
      next.what().run();
    }
    now = until;
  }

  /** Executes one round after another, whichever instance sent them. */
  private CompletionStage<SliceStore.Answer> carry(Instance by, SliceStore.Round round) {
    by.asks.addAll(round.asks());
    CompletableFuture<SliceStore.Answer> answer = new CompletableFuture<>();
    busyUntil = Math.max(busyUntil, now) + MILLI + round.asks().size() * ASK_NANOS;
    at(busyUntil, () -> answer.complete(store.round(round).toCompletableFuture().join()));
    return answer;
  }

  /** An instance with all limits. */
  private final class Instance implements StepAlarm {
    private final SliceSync sliceSync;
    private final List<Limit> limits = new ArrayList<>();
    private final List<SliceStore.Ask> asks = new ArrayList<>();
    private long alarm;

    Instance(String name) {
      sliceSync =
          new SliceSync(
              name,
              round -> carry(this, round),
              ManyKeysLossTest.this::now,
              this,
              SliceWorld.PACE,
              OutagePolicy.PARK,
              () -> 0.5);
      for (int i = 0; i < KEYS; i++) {
        LimitSpec spec = new LimitSpec.Day(LIMIT, null, 0);
        LimitId id =
            new LimitId(LimitId.Kind.KEY, "k" + i, "", LimitMeasure.REQUESTS, LimitSpec.Day.NANOS);
        Limit limit = new Limit(spec, now);
        sliceSync.add(id, limit);
        limits.add(limit);
      }
      sliceSync.start();
    }

    @Override
    public void soon(Runnable step) {
      ManyKeysLossTest.this.at(now, step);
    }

    @Override
    public void at(long instant, Runnable step) {
      long mine = ++alarm;
      ManyKeysLossTest.this.at(instant, () -> runIf(mine == alarm, step));
    }

    /** Lets one request pass each of some limits, now or as soon as it may. */
    void use(int some) {
      for (int i = 0; i < some; i++) {
        new Request(limits.get(i)).wake();
      }
    }

    /** Returns the number of limits that it has reported as used since the loss. */
    long told() {
      return asks.stream()
          .filter(ask -> !ask.uses().isEmpty())
          .map(SliceStore.Ask::id)
          .distinct()
          .count();
    }
  }

  /** A request that waits for its limit. */
  private final class Request implements SliceDemand.Waiter {
    private final Limit limit;
    private boolean done;

    Request(Limit limit) {
      this.limit = limit;
      Objects.requireNonNull(limit.sharing().demand()).join(this);
    }

    @Override
    public void wake() {
      LimitAnswer limitAnswer =
          done ? new LimitAnswer.Wait(Ticker.NEVER) : limit.take(Weight.exactly(1), now);
      if (limitAnswer instanceof LimitAnswer.Wait(long until)) {
        if (until != Ticker.NEVER) {
          ManyKeysLossTest.this.at(until, this::wake);
        }
        return;
      }
      done = true;
      used++;
      Objects.requireNonNull(limit.sharing().demand()).leave(this);
    }
  }

  private static void runIf(boolean still, Runnable step) {
    if (still) {
      step.run();
    }
  }

  @Test
  void allSayWhatTheySpent_howeverLongThatTakes_andNothingIsBarred() {
    Instance one = new Instance("one");
    Instance other = new Instance("other");
    runFor(3 * SECOND);
    one.use(KEYS);
    other.use(KEYS);
    runFor(15 * SECOND);
    assertThat(used).isEqualTo(2 * KEYS);
    store = new MemorySliceStore(this::now, SliceWorld.TTL, "other data");
    one.asks.clear();
    other.asks.clear();
    runFor(12 * SECOND);
    assertThat(one.told()).isEqualTo(KEYS);
    assertThat(other.told()).isEqualTo(KEYS);
    assertThat(one.asks).allMatch(ask -> ask.barred() == SliceStore.Ask.NONE);
    assertThat(other.asks).allMatch(ask -> ask.barred() == SliceStore.Ask.NONE);
    one.use(SOME);
    runFor(5 * SECOND);
    assertThat(used).isEqualTo(2 * KEYS + SOME);
  }
}
