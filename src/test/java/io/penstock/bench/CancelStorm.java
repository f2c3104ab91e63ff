package io.penstock.bench;

import io.penstock.cost.Cost;
import io.penstock.cost.Usage;
import io.penstock.endpoint.Ask;
import io.penstock.endpoint.Driver;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.Outcome;
import io.penstock.endpoint.Patience;
import io.penstock.endpoint.Pending;
import io.penstock.endpoint.Registry;
import io.penstock.endpoint.Settlement;
import io.penstock.event.Event;
import io.penstock.fake.FakeTicker;
import io.penstock.pool.Upstreams;
import io.penstock.quota.LocalLimitSource;
import io.penstock.quota.ModelQuotas;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Threads that send, cancel and end requests, move the clock and release tickets, all at one
 * endpoint. The actions of each thread are drawn from a seed; their interleaving is up to the
 * machine.
 */
final class CancelStorm implements Driver {
  private static final int THREADS = 3;

  /** Number of tickets that a thread has in progress. */
  private static final int UNDER_WAY = 64;

  /** Longest step of the clock for each ticket. */
  private static final long MOST_STEP_NANOS = 2_000_000;

  private static final Alarm NONE = new Alarm(Ticker.NEVER, () -> {});

  private record Alarm(long instant, Runnable step) {}

  private record Granted(Pending pending, Settlement settlement) {}

  final FakeTicker ticker = new FakeTicker();
  final LocalLimitSource limits = new LocalLimitSource();
  final Upstreams upstreams = new Upstreams(limits, Core.SECOND);

  /** Total usage of all settled tickets, in tokens. */
  final AtomicLong usedTokens = new AtomicLong();

  private final Queue<Runnable> soon = new ConcurrentLinkedQueue<>();
  private final Queue<Granted> granted = new ConcurrentLinkedQueue<>();
  private final AtomicReference<Alarm> alarm = new AtomicReference<>(NONE);
  private final Endpoint endpoint;
  private final boolean pauses;

  /**
   * Creates a storm at one endpoint; with {@code pauses} it pauses and resumes releases at random.
   */
  CancelStorm(EndpointSpec spec, boolean pauses) {
    Registry registry =
        new Registry(
            new Endpoint.House(
                upstreams,
                new ModelQuotas(limits, 60_000_000_000L),
                limits,
                ticker,
                algorithm -> this,
                this::heard,
                new AtomicLong()));
    registry.apply(List.of(spec));
    this.endpoint = Objects.requireNonNull(registry.find(spec.path()));
    this.pauses = pauses;
  }

  Endpoint endpoint() {
    return endpoint;
  }

  private void heard(Event event) {
    if (event instanceof Event.Settled settled) {
      usedTokens.addAndGet(settled.usedTokens());
    }
  }

  /** Sends and cancels tickets until the given number is cancelled and none is in progress. */
  void run(int cancels, long seed) {
    SplittableRandom seeds = new SplittableRandom(seed);
    List<CompletableFuture<Void>> threads = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      SplittableRandom random = seeds.split();
      int mine = cancels / THREADS + (thread < cancels % THREADS ? 1 : 0);
      Runnable part = () -> sendAndCancel(mine, random);
      threads.add(CompletableFuture.runAsync(part, each -> new Thread(each).start()));
    }
    CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).join();
    endpoint.pause(false);
    while (!soon.isEmpty() || !granted.isEmpty()) {
      work();
      end(Integer.MAX_VALUE, seeds);
    }
  }

  private void sendAndCancel(int many, SplittableRandom random) {
    Pending[] underWay = new Pending[UNDER_WAY];
    for (int sent = 0; sent < many; sent++) {
      int at = random.nextInt(UNDER_WAY);
      if (underWay[at] != null) {
        endpoint.cancel(underWay[at]);
      }
      underWay[at] = send(random);
      end(random.nextInt(4), random);
      ticker.advance(random.nextLong(MOST_STEP_NANOS));
      if (pauses && random.nextInt(UNDER_WAY) == 0) {
        endpoint.pause(random.nextBoolean());
      }
      work();
    }
    for (Pending pending : underWay) {
      if (pending != null) {
        endpoint.cancel(pending);
      }
    }
  }

  /** Runs pending steps and a due alarm, as a driver's thread would. */
  private void work() {
    for (Runnable step = soon.poll(); step != null; step = soon.poll()) {
      step.run();
    }
    Alarm next = alarm.get();
    if (next.instant() <= ticker.nanos() && alarm.compareAndSet(next, NONE)) {
      next.step().run();
    }
  }

  private Pending send(SplittableRandom random) {
    Cost cost = new Cost(1 + random.nextInt(100), random.nextInt(50), random.nextInt(200));
    long gone = random.nextInt(4) == 0 ? random.nextLong(Core.SECOND / 10) : Long.MAX_VALUE;
    Patience patience = new Patience(Patience.UNSAID, gone);
    Pending pending = endpoint.submit(Ask.of("m", cost, random.nextInt(1_000), patience));
    pending.whenDecided(
        outcome -> {
          if (outcome instanceof Outcome.Granted(Settlement settlement)) {
            granted.add(new Granted(pending, settlement));
          }
        });
    return pending;
  }

  /**
   * Ends some of the released tickets in all possible ways, some of them by two threads at once.
   */
  private void end(int most, SplittableRandom random) {
    for (int i = 0; i < most; i++) {
      Granted next = granted.poll();
      if (next == null) {
        return;
      }
      if (random.nextInt(8) == 0) {
        endpoint.cancel(next.pending());
      }
      if (next.pending().take()) {
        Settlement settlement = next.settlement();
        if (random.nextInt(8) == 0) {
          soon.add(() -> settlement.cancelled(null, 7, ticker.nanos()));
        }
        end(settlement, random);
      }
    }
  }

  private void end(Settlement settlement, SplittableRandom random) {
    Refusal refusal = Refusal.of(Reason.UPSTREAM_UNREACHABLE, "made up");
    if (random.nextInt(4) == 0) { // it was never sent
      if (random.nextBoolean()) {
        settlement.abandoned(ticker.nanos());
      } else {
        settlement.refused(refusal, ticker.nanos());
      }
      return;
    }
    long produced = random.nextInt(60);
    settlement.produced(produced, ticker.nanos());
    switch (random.nextInt(5)) {
      case 0 -> settlement.failed(refusal, produced, ticker.nanos());
      case 1 -> settlement.cancelled(null, produced, ticker.nanos());
      case 2 -> settlement.permitted(ticker.nanos());
      case 3 -> settlement.served(null, produced, ticker.nanos());
      default -> {
        Usage usage = new Usage(random.nextInt(150), 0, random.nextInt(80));
        settlement.served(usage, produced, ticker.nanos());
      }
    }
  }

  @Override
  public void execute(Runnable step) {
    soon.add(step);
  }

  @Override
  public void at(long instantNanos, Runnable step) {
    alarm.set(new Alarm(instantNanos, step));
  }
}
