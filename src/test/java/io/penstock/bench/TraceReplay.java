package io.penstock.bench;

import static java.util.Objects.requireNonNull;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.fake.TrailingChecker;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.TreeMap;

/**
 * Simulates requests of real sizes with the core and a provider that streams its answers and
 * answers 429 when any trailing minute is exceeded. There is always a waiting request. Belongs to
 * one thread.
 */
final class TraceReplay implements StepAlarm {
  /** Predicts the cost of requests, and learns from their answers. */
  interface Estimator {
    /** Returns the expected cost of a request with known real input. */
    Cost expect(long input);

    /** Learns from an answered request. */
    void answered(long input, long output);
  }

  /**
   * Results of a simulation.
   *
   * @param rejected number of 429 answers of the provider
   * @param used time average of the provider's counts, as a fraction of its limit, from the first
   *     full window to the last request
   * @param most the largest count in any trailing minute, as a fraction of the limit
   */
  record Figures(int rejected, double used, double most) {}

  private static final long MINUTE = 60 * BenchCore.SECOND;
  private static final int WAITING = 50;

  private record Event(long instant, long sequence, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int by = Long.compare(instant, other.instant);
      return by != 0 ? by : Long.compare(sequence, other.sequence);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Queue<Runnable> soon = new ArrayDeque<>();
  private final Queue<Cost> load;
  private final Estimator estimator;
  private final TrailingChecker provider;
  private final long nanosPerToken;
  private final Endpoint endpoint;
  private Runnable onAlarm = () -> {};
  private long alarm = Ticker.NEVER;
  private long now = 1_000 * MINUTE;
  private long sequence;
  private long lastSubmitted;
  private int rejected;

  private TraceReplay(List<Cost> load, long limit, double burst, long nanosPerToken, Estimator of) {
    this.load = new ArrayDeque<>(load);
    this.estimator = of;
    this.nanosPerToken = nanosPerToken;
    this.provider = new TrailingChecker(limit, MINUTE);
    EndpointSpec spec = BenchCore.forwarding(upstream(limit, burst));
    this.endpoint =
        BenchCore.open(spec, new LocalLimitSource(), () -> now, algorithm -> this, event -> {});
  }

  private static UpstreamSpec upstream(long limit, double burst) {
    return UpstreamSetup.of("u")
        .url("mock://openai")
        .limits(0, limit, 0, 0)
        .guardNanos(50_000_000)
        .burstSeconds(burst)
        .spec();
  }

  /**
   * Runs the simulation.
   *
   * @param load the real sizes
   * @param limit tokens a minute, for the gateway and the provider
   * @param burst {@code burst_seconds}
   * @param nanosPerToken the provider's time for each token of output
   */
  static Figures of(
      List<Cost> load, long limit, double burst, long nanosPerToken, Estimator estimator) {
    return new TraceReplay(load, limit, burst, nanosPerToken, estimator).run();
  }

  private Figures run() {
    long start = now;
    for (int each = 0; each < WAITING; each++) {
      next();
    }
    drain();
    while (!events.isEmpty() || alarm != Ticker.NEVER) {
      Event event = events.peek();
      if (event == null || alarm <= event.instant()) {
        now = Math.max(now, alarm);
        alarm = Ticker.NEVER;
        onAlarm.run();
      } else {
        events.remove();
        now = event.instant();
        event.action().run();
      }
      drain();
    }
    long from = start + MINUTE;
    long counted = 0;
    for (Map.Entry<Long, Long> charge : provider.charges().entrySet()) {
      boolean within = charge.getKey() >= from && charge.getKey() < lastSubmitted;
      counted += within ? charge.getValue() : 0;
    }
    double allowed = (double) provider.limit() * (lastSubmitted - from) / MINUTE;
    return new Figures(rejected, counted / allowed, (double) most() / provider.limit());
  }

  /**
   * Returns the largest sum of any trailing minute: each charge enters the window once, and leaves
   * it once.
   */
  private long most() {
    TreeMap<Long, Long> charges = new TreeMap<>(provider.charges());
    Queue<Map.Entry<Long, Long>> window = new ArrayDeque<>();
    long sum = 0;
    long most = 0;
    for (Map.Entry<Long, Long> charge : charges.entrySet()) {
      window.add(charge);
      sum += charge.getValue();
      while (requireNonNull(window.peek()).getKey() <= charge.getKey() - MINUTE) {
        sum -= requireNonNull(window.poll()).getValue();
      }
      most = Math.max(most, sum);
    }
    return most;
  }

  private void drain() {
    for (Runnable step = soon.poll(); step != null; step = soon.poll()) {
      step.run();
    }
  }

  private void next() {
    Cost real = load.poll();
    if (real == null) {
      return;
    }
    lastSubmitted = now;
    Cost expected = estimator.expect(real.inputTokens());
    endpoint
        .submit(RequestFixture.request("m", expected))
        .whenDecided(outcome -> soon.add(() -> decided(outcome, real)));
  }

  private void decided(TicketOutcome outcome, Cost real) {
    TicketSettlement settlement =
        switch (outcome) {
          case TicketOutcome.Granted(TicketSettlement granted) -> granted;
          case TicketOutcome.Refused(var refusal) ->
              throw new AssertionError("refused: " + refusal);
        };
    requireNonNull(settlement.upstream());
    next();
    if (!provider.fits(now, real.inputTokens())) {
      rejected++;
    }
    provider.charge(now, real.inputTokens());
    for (long token = 1; token <= real.outputTokens(); token++) {
      long produced = token;
      later(now + token * nanosPerToken, () -> produce(settlement, produced));
    }
    later(now + real.outputTokens() * nanosPerToken, () -> end(settlement, real));
  }

  private void produce(TicketSettlement settlement, long produced) {
    provider.charge(now, 1);
    settlement.produced(produced, now);
  }

  private void end(TicketSettlement settlement, Cost real) {
    estimator.answered(real.inputTokens(), real.outputTokens());
    TokenUsage usage = new TokenUsage(real.inputTokens(), 0, real.outputTokens());
    settlement.served(usage, real.outputTokens(), now);
  }

  private void later(long instant, Runnable action) {
    events.add(new Event(instant, sequence++, action));
  }

  @Override
  public void soon(Runnable step) {
    soon.add(step);
  }

  @Override
  public void at(long instantNanos, Runnable step) {
    alarm = instantNanos;
    onAlarm = step;
  }
}
