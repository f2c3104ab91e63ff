package io.penstock.sync;

import static io.penstock.sync.World.MILLI;
import static io.penstock.sync.World.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Measure;
import io.penstock.cost.Weight;
import io.penstock.limit.Answer;
import io.penstock.limit.Demand;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.LimitId;
import io.penstock.quota.MemorySupply;
import io.penstock.quota.Supply;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * Tests two instances that share twenty thousand daily limits when the store loses all data: their
 * reports take longer than the lifetime of slices.
 */
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
  private MemorySupply store = new MemorySupply(this::now, World.TTL, "data");
  private long now = World.START;
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
  private CompletionStage<Supply.Answer> carry(Instance by, Supply.Round round) {
    by.asks.addAll(round.asks());
    CompletableFuture<Supply.Answer> answer = new CompletableFuture<>();
    busyUntil = Math.max(busyUntil, now) + MILLI + round.asks().size() * ASK_NANOS;
    at(busyUntil, () -> answer.complete(store.round(round).toCompletableFuture().join()));
    return answer;
  }

  /** An instance with all limits. */
  private final class Instance implements StepAlarm {
    private final Rounds rounds;
    private final List<Limit> limits = new ArrayList<>();
    private final List<Supply.Ask> asks = new ArrayList<>();
    private long alarm;

    Instance(String name) {
      rounds =
          new Rounds(
              name,
              round -> carry(this, round),
              ManyKeysLossTest.this::now,
              this,
              World.PACE,
              OnOutage.PARK,
              () -> 0.5);
      for (int i = 0; i < KEYS; i++) {
        LimitSpec spec = new LimitSpec.Day(LIMIT, null, 0);
        LimitId id =
            new LimitId(LimitId.Kind.KEY, "k" + i, "", Measure.REQUESTS, LimitSpec.Day.NANOS);
        Limit limit = new Limit(spec, now);
        rounds.add(id, limit);
        limits.add(limit);
      }
      rounds.start();
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
          .map(Supply.Ask::id)
          .distinct()
          .count();
    }
  }

  /** A request that waits for its limit. */
  private final class Request implements Demand.Waiter {
    private final Limit limit;
    private boolean done;

    Request(Limit limit) {
      this.limit = limit;
      Objects.requireNonNull(limit.demand()).join(this);
    }

    @Override
    public void wake() {
      Answer answer = done ? new Answer.Wait(Ticker.NEVER) : limit.take(Weight.exactly(1), now);
      if (answer instanceof Answer.Wait(long until)) {
        if (until != Ticker.NEVER) {
          ManyKeysLossTest.this.at(until, this::wake);
        }
        return;
      }
      done = true;
      used++;
      Objects.requireNonNull(limit.demand()).leave(this);
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
    store = new MemorySupply(this::now, World.TTL, "other data");
    one.asks.clear();
    other.asks.clear();
    runFor(12 * SECOND);
    assertThat(one.told()).isEqualTo(KEYS);
    assertThat(other.told()).isEqualTo(KEYS);
    assertThat(one.asks).allMatch(ask -> ask.barred() == Supply.Ask.NONE);
    assertThat(other.asks).allMatch(ask -> ask.barred() == Supply.Ask.NONE);
    one.use(SOME);
    runFor(5 * SECOND);
    assertThat(used).isEqualTo(2 * KEYS + SOME);
  }
}
