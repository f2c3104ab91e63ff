package io.penstock.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.fake.TrailingChecker;
import io.penstock.queue.Ticket;
import io.penstock.quota.CallerAccount;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.usage.UsedTokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Many threads charge one key at once, for minutes of a clock that they advance together. */
class HammeredKeyTest {
  private static final int THREADS = 64;
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;
  private static final long TICK = SECOND / 4;
  private static final long RPM = 1_000;
  private static final long TPM = 100_000;
  private static final long START = 1_000 * SECOND;

  private final TrailingChecker requests = new TrailingChecker(RPM, MINUTE);
  private final TrailingChecker tokens = new TrailingChecker(TPM, MINUTE);
  private final AtomicLong now = new AtomicLong(START);
  private final AtomicLong arrivals = new AtomicLong();
  private final KeyAccounts accounts =
      new KeyAccounts(new LocalLimitSource(), MINUTE, UsedTokens.NONE, sharing -> true, () -> 0);
  private final KeySpec key =
      new KeySpec(
          "k",
          List.of(),
          new KeyTerms(
              new KeySpec.Limits(RPM, TPM, 0, 0, 0, 0),
              Map.of(),
              null,
              KeySpec.Scope.ALL,
              KeySpec.Rank.PLAIN,
              KeySpec.NEVER,
              KeySpec.LimitPolicy.PLAIN));

  @Test
  void fiveMinutesOfManyThreads_neverOverInAnyTrailingMinute_andNearlyAllIsUsed() throws Exception {
    CyclicBarrier together = new CyclicBarrier(THREADS, () -> now.addAndGet(TICK));
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        SplittableRandom random = new SplittableRandom(thread);
        all.add(threads.submit(() -> hammer(together, random)));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
    assertThat(requests.most()).isLessThanOrEqualTo(RPM);
    assertThat(tokens.most()).isLessThanOrEqualTo(TPM);
    // In five minutes each limit could be used up five times.
    double used = Math.max(requests.total() / (5.0 * RPM), tokens.total() / (5.0 * TPM));
    assertThat(used).isGreaterThanOrEqualTo(0.98);
  }

  private Void hammer(CyclicBarrier together, SplittableRandom random) throws Exception {
    while (now.get() < START + 5 * MINUTE) {
      charge(1 + random.nextLong(199));
      charge(1 + random.nextLong(199));
      together.await();
    }
    return null;
  }

  private void charge(long amount) {
    long at = now.get();
    CallerAccount account = accounts.of(key);
    account.enter();
    Ticket ticket =
        new Ticket(arrivals.getAndIncrement(), Cost.ofInput(amount), 0, at, Long.MAX_VALUE);
    if (account.charge(null, ticket, at) instanceof CallerAccount.Taken) {
      requests.charge(at, 1);
      tokens.charge(at, amount);
    }
    account.leave();
  }
}
