package io.penstock.simulator;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.dispatch.TicketRequest;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A world drawn from a seed: its configuration, its requests, and the behaviour of clients and
 * upstreams.
 */
final class SimScenario {
  static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000L;

  private static final List<LimitAlgorithm> ALGORITHMS =
      List.of(
          LimitAlgorithm.NONE,
          LimitAlgorithm.NONE,
          LimitAlgorithm.STRICT,
          LimitAlgorithm.TOKEN_WINDOW,
          LimitAlgorithm.TOKEN_BUCKET,
          LimitAlgorithm.SLIDING_WINDOW);

  /** A model with output that counts fivefold at Bedrock. */
  static final String DEAR_MODEL = "anthropic.claude-sonnet-4-20250514-v1:0";

  private static final List<ChargeRule> CHARGES =
      List.of(
          ChargeRule.TOTAL,
          ChargeRule.OPENAI,
          ChargeRule.ANTHROPIC,
          ChargeRule.GEMINI,
          ChargeRule.BEDROCK,
          ChargeRule.BEDROCK);

  private static final List<QueueOrder> ORDERS = List.of(QueueOrder.values());

  final SplittableRandom random;
  final long window;
  final int tickets;
  final double perSecond;
  final List<String> models = new ArrayList<>();
  final boolean cancels;
  final boolean deadlines;
  final boolean reloads;
  final boolean pauses;
  final boolean jitter;

  /** Whether the machine sometimes stands still while its clock goes on. */
  final boolean jumps;

  /** Whether nothing leaves, expires, stops or changes: then waits can be computed. */
  final boolean undisturbed;

  /** Whether all requests use exactly what was expected. */
  final boolean exact;

  /** Whether attempts fail, after which requests come back. */
  final boolean again;

  /** Whether upstreams sometimes accept nothing. */
  final boolean outages;

  private final int flows;

  /** Number of paths below the configured ones that requests use. */
  final int below;

  final double meanTokens;

  /** The caches of its providers. */
  final SimCaches caches;

  private final int endpoints;
  private final int upstreams;
  private final boolean permits;
  private final int maxSkips;

  SimScenario(long seed) {
    random = new SplittableRandom(seed);
    window = random.nextInt(4) == 0 ? 12 * SECOND : 60 * SECOND;
    endpoints = 1 + random.nextInt(3);
    upstreams = 1 + random.nextInt(3);
    undisturbed = random.nextInt(10) == 0;
    permits = undisturbed || random.nextInt(8) == 0;
    for (int model = 0; model <= random.nextInt(3); model++) {
      models.add(model == 2 ? DEAR_MODEL : "model-" + model);
    }
    tickets = 60 + random.nextInt(240);
    meanTokens = 1L << random.nextInt(11);
    perSecond = Math.exp(random.nextDouble(-1.5, 2.5));
    maxSkips = List.of(0, 1, 3, 64).get(random.nextInt(4));
    cancels = !undisturbed && random.nextInt(3) > 0;
    deadlines = undisturbed || random.nextInt(3) == 0;
    reloads = !undisturbed && random.nextInt(2) == 0;
    pauses = !undisturbed && random.nextInt(4) == 0;
    jumps = !undisturbed && random.nextInt(4) == 0;
    jitter = random.nextInt(4) == 0;
    exact = random.nextInt(4) == 0;
    below = random.nextInt(4) == 0 ? 1 + random.nextInt(6) : 0;
    flows = 1 + random.nextInt(4);
    outages = !permits && random.nextInt(3) == 0;
    again = !permits && random.nextInt(2) == 0;
    caches = new SimCaches(seed, this);
  }

  /** Returns whether there are upstreams, and something may happen to requests. */
  boolean forwards() {
    return !undisturbed && !permits;
  }

  /** Returns how many requests arrive in a window, on average. */
  double perWindow() {
    return perSecond * window / SECOND;
  }

  boolean chance(double share) {
    return random.nextDouble() < share;
  }

  /** Returns a positive amount around {@code mean}, sometimes several times as much. */
  long around(double mean) {
    return (long) Math.ceil(-mean * Math.log(1 - random.nextDouble()));
  }

  long seconds(double most) {
    return (long) (random.nextDouble() * most * SECOND);
  }

  Cost cost() {
    if (chance(0.03)) {
      return Cost.NO_TOKENS;
    }
    if (permits && chance(0.5)) {
      return Cost.ofInput(around(meanTokens));
    }
    double scale = chance(0.04) ? 30 : 1;
    long input = chance(0.1) ? 0 : around(meanTokens * scale);
    long output = chance(0.2) ? 0 : around(chance(0.05) ? 40 * meanTokens : meanTokens);
    long stated = chance(0.4) ? 0 : output + (chance(0.5) ? around(meanTokens) : 0);
    return new Cost(input, output, stated);
  }

  /** Returns a whole configuration; each call draws another one over the same names. */
  List<EndpointSpec> configuration() {
    List<UpstreamSpec> all = new ArrayList<>();
    for (int at = 0; at < upstreams; at++) {
      all.add(upstream("up-" + at));
    }
    List<EndpointSpec> specs = new ArrayList<>();
    for (int at = 0; at < endpoints; at++) {
      specs.add(endpoint("/e" + at, all));
    }
    return specs;
  }

  /** Returns another configuration that keeps most of the previous one. */
  List<EndpointSpec> changed(List<EndpointSpec> before) {
    List<EndpointSpec> fresh = configuration();
    Map<String, UpstreamSpec> kept = new TreeMap<>();
    if (chance(0.7)) {
      before.forEach(spec -> spec.upstreams().forEach(each -> kept.put(each.id(), each)));
      if (!kept.isEmpty() && chance(0.4)) {
        kept.remove(kept.keySet().iterator().next());
      }
    }
    List<EndpointSpec> next = new ArrayList<>();
    for (EndpointSpec spec : fresh) {
      EndpointSpec known =
          before.stream().filter(each -> each.path().equals(spec.path())).findAny().orElse(spec);
      EndpointSpec base = chance(0.5) ? known : spec;
      List<UpstreamSpec> ways = new ArrayList<>();
      for (UpstreamSpec each : (chance(0.7) ? known : spec).upstreams()) {
        ways.add(kept.getOrDefault(each.id(), current(fresh, each)));
      }
      if (again && chance(0.03)) {
        ways.clear(); // it answers by itself from here on
      }
      if (!chance(0.05)) {
        next.add(withUpstreams(base, ways));
      }
    }
    return next.isEmpty() ? before : next;
  }

  private static UpstreamSpec current(List<EndpointSpec> fresh, UpstreamSpec spec) {
    return fresh.stream()
        .flatMap(endpoint -> endpoint.upstreams().stream())
        .filter(each -> each.id().equals(spec.id()))
        .findFirst()
        .orElse(spec);
  }

  private EndpointSpec withUpstreams(EndpointSpec spec, List<UpstreamSpec> ways) {
    return ChangedSpecs.with(spec, spec.scheduling(), spec.waiting(), ways);
  }

  private EndpointSpec endpoint(String path, List<UpstreamSpec> all) {
    LimitAlgorithm algorithm = ALGORITHMS.get(random.nextInt(ALGORITHMS.size()));
    List<UpstreamSpec> ways = new ArrayList<>();
    if (!permits) {
      all.stream().filter(each -> chance(0.7)).forEach(ways::add);
      if (ways.isEmpty()) {
        ways.add(all.get(random.nextInt(all.size())));
      }
    }
    long tickets = chance(0.3) ? 1 + random.nextInt(10) : 20 + random.nextInt(300);
    long tokens = chance(0.8) ? QueueBounds.UNLIMITED : (long) (1 + meanTokens * 20);
    return EndpointSetup.of(path, limit(algorithm))
        .scheduling(scheduling())
        .waiting(waiting(new QueueBounds(tickets, tokens, 1 << 20)))
        .descendants(below != 0 && chance(0.8), below == 0 ? 0 : random.nextInt(5))
        .to(ways)
        .spec();
  }

  private EndpointSpec.Scheduling scheduling() {
    QueueOrder order = chance(0.2) ? QueueOrder.FIFO : ORDERS.get(random.nextInt(ORDERS.size()));
    return new EndpointSpec.Scheduling(
        order, chance(0.3) ? 0 : 1 + seconds(20), maxSkips, new EndpointSpec.FairBy.Key());
  }

  private EndpointSpec.Waiting waiting(QueueBounds bounds) {
    return EndpointSetup.waiting(
        bounds,
        chance(0.5) ? 0 : List.of(1, 5, 50, 1_000).get(random.nextInt(4)),
        deadlines && chance(0.5) ? seconds(40) : 0,
        chance(0.3),
        deadlines && !undisturbed && chance(0.5) ? seconds(120) : 0);
  }

  /** Returns how long the machine stands still: mostly not at all. */
  long jump() {
    if (!jumps || !chance(0.01)) {
      return 0;
    }
    return seconds(List.of(1, 60, 10_000).get(random.nextInt(3)));
  }

  int priority() {
    return chance(0.4) ? 0 : random.nextInt(-2, 10);
  }

  /** Returns one of a few flows, some with larger weights than others. */
  TicketRequest.Flow flow() {
    int flow = random.nextInt(flows);
    return new TicketRequest.Flow("flow-" + flow, List.of(1, 1, 2, 4).get(flow));
  }

  private LimitSpec limit(LimitAlgorithm algorithm) {
    return switch (algorithm) {
      case NONE -> new LimitSpec.Unlimited();
      case STRICT ->
          new LimitSpec.Strict(rate(), chance(0.5) ? 0 : seconds(chance(0.5) ? 0.005 : 3));
      case TOKEN_BUCKET -> new LimitSpec.TokenBucket(rate(), burst());
      case SLIDING_WINDOW -> {
        long nanos = SECOND / 4 + seconds(20);
        double share = perSecond * nanos / SECOND * random.nextDouble(0.3, 3);
        yield new LimitSpec.SlidingWindow(1 + (long) share, nanos);
      }
      case TOKEN_WINDOW -> {
        long nanos = SECOND / 2 + seconds(20);
        double share = perSecond * nanos / SECOND * random.nextDouble(0.3, 3);
        yield new LimitSpec.FixedWindow(Math.max(1, (long) (2 * meanTokens * share)), nanos);
      }
    };
  }

  private ExactRate rate() {
    long releases = 1 + (long) (perSecond * 60 * random.nextDouble(0.2, 3));
    return new ExactRate(releases, random.nextLong(60, 67));
  }

  private long burst() {
    return chance(0.3) ? 1 : 1 + random.nextInt(20);
  }

  private String own(String model) {
    return chance(0.5) ? "own" : "own-" + model;
  }

  private UpstreamSpec upstream(String id) {
    double requests = perSecond * window / SECOND * random.nextDouble(0.2, 2);
    UpstreamSpec.Limits limits =
        new UpstreamSpec.Limits(
            chance(0.5) ? (long) Math.ceil(requests) : 0,
            chance(0.6) ? around(requests * 2 * meanTokens) : 0,
            chance(0.25) ? around(requests * meanTokens) : 0,
            chance(0.25) ? around(requests * meanTokens) : 0,
            0,
            chance(0.25) ? 1 + random.nextInt(30) : 0);
    Map<String, String> names =
        chance(0.7)
            ? Map.of()
            : models.stream().collect(Collectors.toMap(each -> each, each -> own(each)));
    UpstreamSpec drawn =
        UpstreamSetup.of(id)
            .url("mock://" + id)
            .disabled(chance(0.03) ? "it has no credential" : null)
            .models(names)
            .weight(1 + random.nextInt(3))
            .limits(limits)
            .charge(CHARGES.get(random.nextInt(CHARGES.size())))
            .guardNanos(List.of(0L, 50 * MILLI, 300 * MILLI).get(random.nextInt(3)))
            .burstSeconds(List.of(1.0, 5.0, 20.0, 60.0).get(random.nextInt(4)))
            .spec();
    return caches.with(drawn);
  }
}
