package io.penstock.bench;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.CallEnd;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.dispatch.WaitPatience;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.event.Event;
import io.penstock.fake.FakeTicker;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.StepAlarm;
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
final class CancelStorm implements StepAlarm {
  private static final int THREADS = 3;

  /** Number of tickets that a thread has in progress. */
  private static final int UNDER_WAY = 64;

  /** Longest step of the clock for each ticket. */
  private static final long MOST_STEP_NANOS = 2_000_000;

  private static final Alarm NONE = new Alarm(Ticker.NEVER, () -> {});

  private record Alarm(long instant, Runnable step) {}

  private record Granted(ParkedTicket pending, TicketSettlement settlement) {}

  final FakeTicker ticker = new FakeTicker();
  final LocalLimitSource limits = new LocalLimitSource();
  final UpstreamRegistry upstreams = UpstreamFixture.registry(limits, BenchCore.SECOND);

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
    EndpointRegistry registry =
        new EndpointRegistry(
            EndpointFixture.services(
                upstreams,
                new ModelQuotas(limits, 60_000_000_000L),
                limits,
                ticker,
                algorithm -> this,
                this::heard));
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
    ParkedTicket[] underWay = new ParkedTicket[UNDER_WAY];
    for (int sent = 0; sent < many; sent++) {
      int at = random.nextInt(UNDER_WAY);
      if (underWay[at] != null) {
        underWay[at].cancel();
      }
      underWay[at] = send(random);
      end(random.nextInt(4), random);
      ticker.advance(random.nextLong(MOST_STEP_NANOS));
      if (pauses && random.nextInt(UNDER_WAY) == 0) {
        endpoint.pause(random.nextBoolean());
      }
      work();
    }
    for (ParkedTicket parkedTicket : underWay) {
      if (parkedTicket != null) {
        parkedTicket.cancel();
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

  private ParkedTicket send(SplittableRandom random) {
    Cost cost = new Cost(1 + random.nextInt(100), random.nextInt(50), random.nextInt(200));
    long gone = random.nextInt(4) == 0 ? random.nextLong(BenchCore.SECOND / 10) : Long.MAX_VALUE;
    WaitPatience patience = new WaitPatience(WaitPatience.UNSTATED, gone);
    ParkedTicket parkedTicket =
        endpoint.submit(
            RequestFixture.of("m", cost).bytes(random.nextInt(1_000)).patience(patience).made());
    parkedTicket.whenDecided(
        outcome -> {
          if (outcome instanceof TicketOutcome.Granted(TicketSettlement ticketSettlement)) {
            granted.add(new Granted(parkedTicket, ticketSettlement));
          }
        });
    return parkedTicket;
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
        next.pending().cancel();
      }
      if (next.pending().take()) {
        TicketSettlement ticketSettlement = next.settlement();
        if (random.nextInt(8) == 0) {
          soon.add(() -> ticketSettlement.cancelled(CallEnd.answered(null, 7), ticker.nanos()));
        }
        end(ticketSettlement, random);
      }
    }
  }

  private void end(TicketSettlement ticketSettlement, SplittableRandom random) {
    Refusal refusal = Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "made up");
    if (random.nextInt(4) == 0) { // it was never sent
      if (random.nextBoolean()) {
        ticketSettlement.abandoned(ticker.nanos());
      } else {
        ticketSettlement.refused(refusal, ticker.nanos());
      }
      return;
    }
    long produced = random.nextInt(60);
    ticketSettlement.produced(produced, ticker.nanos());
    switch (random.nextInt(5)) {
      case 0 -> ticketSettlement.failed(refusal, produced, ticker.nanos());
      case 1 -> ticketSettlement.cancelled(CallEnd.answered(null, produced), ticker.nanos());
      case 2 -> ticketSettlement.permitted(ticker.nanos());
      case 3 -> ticketSettlement.served(null, produced, ticker.nanos());
      default -> {
        TokenUsage tokenUsage = new TokenUsage(random.nextInt(150), 0, random.nextInt(80));
        ticketSettlement.served(tokenUsage, produced, ticker.nanos());
      }
    }
  }

  @Override
  public void soon(Runnable step) {
    soon.add(step);
  }

  @Override
  public void at(long instantNanos, Runnable step) {
    alarm.set(new Alarm(instantNanos, step));
  }
}
