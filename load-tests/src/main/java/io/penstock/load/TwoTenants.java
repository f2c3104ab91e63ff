package io.penstock.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.ToDoubleFunction;

/**
 * {@code 13-two-tenants}: a tenant that behaves, beside one that does one {@link Attack} after the
 * other, both with a key of one gateway, at one endpoint in front of one upstream. Prints for each
 * attack what the first one got, alone and beside the other, and what the other got.
 *
 * <p>Clients, gateway and upstream share the processors, so whatever the second tenant does makes
 * the first one slower. How much of that is its share of the processors is measured, too: beside a
 * second tenant that sends as many requests a second, all of them harmless, from the same threads.
 */
final class TwoTenants implements Scenario {
  /** The tokens per minute that the upstream allows. */
  static final int UPSTREAM_TPM = 300_000_000;

  /** The tokens per minute that a hostile key may use. */
  private static final int HOSTILE_TPM = 3_000_000;

  private static final int HOSTILE_CONCURRENCY = 16;

  /**
   * The budget of the key with hidden input, and the context of its model: such requests go one at
   * a time.
   */
  private static final int BUDGET = 20_000_000;

  private static final int SECONDS = 60;
  private static final int ROUNDS = 3;
  private static final int THREADS = 16;
  private static final int RATE = 200;
  private static final int HOSTILE_RATE = 500;
  private static final double GOAL = 2.0;
  private static final Duration LEAD = Duration.ofMillis(300);
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final Duration SETTLED = Duration.ofSeconds(90);
  private static final Duration START = Duration.ofMinutes(6);

  /** Whom the first tenant is beside. */
  private enum Beside {
    NOBODY("alone"),
    HARMLESS("harmless"),
    HOSTILE("hostile");

    private final String shown;

    Beside(String shown) {
      this.shown = shown;
    }
  }

  /**
   * What a stretch came to.
   *
   * @param good what the tenant got that behaves
   * @param other what the other one got
   * @param gatewayCpu how many processors the gateway was busy with
   * @param otherCpu how many the client of the other tenant was
   */
  private record Stretch(
      Latencies good, HostileTenant.Stretch other, double gatewayCpu, double otherCpu) {
    Map<String, Object> details() {
      Map<String, Object> all = new LinkedHashMap<>(good.details());
      all.put("other_attempts", other.attempts());
      all.put("other_outcomes", other.outcomes());
      all.put("gateway_processors", gatewayCpu);
      all.put("other_processors", otherCpu);
      return all;
    }
  }

  @Override
  public String name() {
    return "13-two-tenants";
  }

  @Override
  public Duration longest(Settings settings) {
    Duration attacks = settings.stretch(SECONDS).plus(SETTLED);
    return attacks.multipliedBy(3L * settings.rounds(ROUNDS)).plus(START);
  }

  private static List<Attack> attacks() {
    return Attack.named(Settings.text("attacks"));
  }

  private static Duration stretch(Settings settings) {
    return settings.stretch(SECONDS).dividedBy(attacks().size());
  }

  static String routes(int upstream) {
    StringBuilder keys = new StringBuilder("keys:\n");
    String open = "  - {name: %s, sha256: %s}\n";
    keys.append(open.formatted("good", Penstock.sha256(Load.SECRET)));
    keys.append(open.formatted("harmless", Penstock.sha256(HostileTenant.HARMLESS)));
    for (Attack each : Attack.values()) {
      keys.append(
          "  - {name: %s, sha256: %s, tpm: %d, concurrency: %d, on_limit: wait%s}\n"
              .formatted(
                  each.shown(),
                  Penstock.sha256(each.secret()),
                  HOSTILE_TPM,
                  HOSTILE_CONCURRENCY,
                  each == Attack.HIDDEN_INPUT ? ", budget_tokens_per_day: " + BUDGET : ""));
    }
    String models = "models:\n  hidden: {context_tokens: %d}\nendpoints:\n".formatted(BUDGET);
    return keys
        + models
        + endpoint(HostileRequests.FAIR, "scheduler: fair\n    fair_by: key", upstream)
        + endpoint(HostileRequests.FIFO, "scheduler: fifo", upstream);
  }

  private static String endpoint(String path, String order, int upstream) {
    return """
      - path: %s
        dialect: openai
        %s
        max_queue_size: 2000
        upstreams:
          - {id: "shared%s", url: "http://127.0.0.1:%d", tpm: %d, concurrency: 64, settle: usage}
    """
        .formatted(path, order, path.replace('/', '-'), upstream, UPSTREAM_TPM);
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    try (Stage stage = new Stage(settings.made(name()), settings.jar())) {
      int upstream = Machine.freePort();
      List<String> command = Machine.main(PromptedUpstream.class, "--port=" + upstream);
      stage.start("upstream", upstream, command);
      String coordination = "--penstock.coordination.enabled=true";
      Gateway gateway = stage.penstock(Penstock.NAME, routes(upstream), List.of(), coordination);
      int hostile = hostile(stage, gateway, settings.connections(THREADS));
      int rate = settings.rate(HOSTILE_RATE);
      warmUp(gateway, hostile, settings.warmup(15), rate);
      Map<Attack, Map<Beside, List<Stretch>>> all = new EnumMap<>(Attack.class);
      for (int round = 0; round < settings.rounds(ROUNDS); round++) {
        for (Attack attack : Turns.of(attacks(), round)) {
          Map<Beside, List<Stretch>> stretches =
              all.computeIfAbsent(attack, each -> new EnumMap<>(Beside.class));
          for (Beside beside : Beside.values()) {
            stretches
                .computeIfAbsent(beside, each -> new ArrayList<>())
                .add(stretch(gateway, hostile, attack, beside, stretch(settings), rate));
          }
        }
      }
      return report(settings, all, traces(stage));
    }
  }

  private static int hostile(Stage stage, Gateway gateway, int threads)
      throws IOException, InterruptedException {
    int port = Machine.freePort();
    List<String> command =
        Machine.main(
            HostileTenant.class,
            "--port=" + port,
            "--gateway=" + gateway.port(),
            "--threads=" + threads);
    stage.start("hostile", port, command);
    return port;
  }

  /** Lets both tenants send harmless requests, and then every attack be seen once. */
  private static void warmUp(Gateway gateway, int hostile, Duration length, int rate)
      throws IOException, InterruptedException {
    stretch(gateway, hostile, Attack.WRONG_KEYS, Beside.HARMLESS, length, rate);
    for (Attack each : attacks()) {
      stretch(gateway, hostile, each, Beside.HOSTILE, SHORT, rate);
    }
  }

  private static Stretch stretch(
      Gateway gateway, int hostile, Attack attack, Beside beside, Duration length, int rate)
      throws IOException, InterruptedException {
    String chat = attack.endpoint() + Cast.PATH;
    Peer peer = new Peer("good", gateway.port(), chat, "", Double.NaN, headers -> true);
    Duration whole = LEAD.plus(length);
    Duration cpuBefore = cpu(gateway);
    long begun = System.nanoTime();
    CompletableFuture<HostileTenant.Stretch> other =
        beside == Beside.NOBODY
            ? CompletableFuture.completedFuture(new HostileTenant.Stretch(0, Map.of(), 0))
            : CompletableFuture.supplyAsync(
                () -> attacked(hostile, attack, beside == Beside.HARMLESS, whole, rate));
    Latencies good = OpenLoop.to(peer).run(RATE, LEAD, length);
    double seconds = (System.nanoTime() - begun) / 1e9;
    double gatewayCpu = cpu(gateway).minus(cpuBefore).toMillis() / 1e3 / seconds;
    try {
      HostileTenant.Stretch came = other.get();
      Operator operator = gateway.operator();
      Operator.await("nobody waits", SETTLED, () -> operator.waiting() == 0);
      return new Stretch(good, came, gatewayCpu, came.cpuMillis() / 1e3 / whole.toMillis() * 1e3);
    } catch (ExecutionException e) {
      throw new IOException("the other tenant failed at " + attack.shown(), e);
    }
  }

  private static Duration cpu(Gateway gateway) throws IOException {
    return gateway.child().program().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private static HostileTenant.Stretch attacked(
      int hostile, Attack attack, boolean harmless, Duration length, int rate) {
    int most = attack.perSecond(rate);
    String path = HostileTenant.path(attack, harmless, length.toMillis(), most);
    try {
      HttpResponse<String> answer = Operator.get(hostile, path, length.plus(SETTLED));
      return HostileTenant.Stretch.parse(answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted in " + attack.shown(), e);
    }
  }

  private Report report(
      Settings settings, Map<Attack, Map<Beside, List<Stretch>>> all, long traces) {
    StringBuilder table = new StringBuilder(head());
    List<Figure> figures = new ArrayList<>();
    Map<String, Object> details = new LinkedHashMap<>();
    long failures = 0;
    long hostileFailures = 0;
    for (Map.Entry<Attack, Map<Beside, List<Stretch>>> each : all.entrySet()) {
      table.append(line(each.getKey(), each.getValue()));
      double alone = p99(each.getValue(), Beside.NOBODY);
      double harmless = p99(each.getValue(), Beside.HARMLESS);
      double hostile = p99(each.getValue(), Beside.HOSTILE);
      figures.add(against(each.getKey().shown(), alone, harmless, hostile));
      hostileFailures += failures(each.getValue(), Beside.HOSTILE);
      for (Beside beside : Beside.values()) {
        failures += failures(each.getValue(), beside);
      }
      details.put(each.getKey().shown(), details(each.getValue()));
    }
    table.append("What the attacks are:\n");
    all.keySet().forEach(each -> table.append("%-21s  %s%n".formatted(each.shown(), each.does())));
    table.append(
        """
        The clients of both, gateway and upstream share the processors; 'harmless' is the other
        tenant with as many harmless requests a second, which shows what its share of them costs.
        """);
    figures.addFirst(together(all.values()));
    figures.addFirst(
        Figure.that(
            "stack traces in the log of the gateway", "none", traces == 0, "%d".formatted(traces)));
    figures.addFirst(
        Figure.that(
            "requests that the tenant lost which behaves",
            "none",
            hostileFailures == 0,
            "%d beside the hostile one, %d in all".formatted(hostileFailures, failures)));
    String title =
        "%s: %d rounds, %d attacks of %.1f s each; a tenant with %d requests/s, another one with up to"
                .formatted(
                    name(),
                    settings.rounds(ROUNDS),
                    attacks().size(),
                    stretch(settings).toMillis() / 1e3,
                    RATE)
            + " %,d attempts/s from %d threads; %s"
                .formatted(
                    settings.rate(HOSTILE_RATE),
                    settings.connections(THREADS),
                    Machine.described());
    return new Report(title, table.toString(), figures, details, failures == 0);
  }

  /** Returns the figure of all attacks together, whose many requests make it the steadiest. */
  private static Figure together(Collection<Map<Beside, List<Stretch>>> all) {
    Map<Beside, Double> p99 = new EnumMap<>(Beside.class);
    for (Beside beside : Beside.values()) {
      Latencies whole = Latencies.none();
      for (Map<Beside, List<Stretch>> each : all) {
        for (Stretch stretch : of(each, beside)) {
          whole = whole.plus(stretch.good());
        }
      }
      p99.put(beside, whole.whole(99));
    }
    double alone = Objects.requireNonNull(p99.get(Beside.NOBODY));
    double harmless = Objects.requireNonNull(p99.get(Beside.HARMLESS));
    double hostile = Objects.requireNonNull(p99.get(Beside.HOSTILE));
    return against("all attacks together", alone, harmless, hostile);
  }

  private static Figure against(String what, double alone, double harmless, double hostile) {
    double ratio = hostile / Math.max(alone, harmless);
    return Figure.atMost(
        "p99 beside " + what,
        "alone, or a harmless tenant",
        GOAL,
        ratio,
        "%.2f: %.1f ms; alone %.1f ms, beside a harmless tenant %.1f ms"
            .formatted(ratio, hostile / 1e3, alone / 1e3, harmless / 1e3));
  }

  private static long traces(Stage stage) throws IOException {
    Path log = stage.directory().resolve(Penstock.NAME + ".log");
    List<String> lines = Files.readAllLines(log);
    long traces = 0;
    for (int at = 1; at < lines.size(); at++) {
      boolean begins = lines.get(at).startsWith("\tat ") && !lines.get(at - 1).startsWith("\t");
      traces += begins ? 1 : 0;
    }
    return traces;
  }

  private static final String LINE = "%-21s %8s %6s  %7s %8s %8s  %7s %8s %8s  %11s  %9s  %s%n";

  private static String head() {
    return LINE.formatted(
            "",
            "requests",
            "failed",
            "p50 ms",
            "",
            "",
            "p99 ms",
            "",
            "",
            "processors",
            "attempts",
            "")
        + LINE.formatted(
            "the other one's attack",
            "",
            "",
            "alone",
            "harmless",
            "hostile",
            "alone",
            "harmless",
            "hostile",
            "gateway, it",
            "",
            "what it got");
  }

  private static String line(Attack attack, Map<Beside, List<Stretch>> stretches) {
    List<Stretch> hostile = of(stretches, Beside.HOSTILE);
    Map<String, Long> outcomes = new TreeMap<>();
    for (Stretch each : hostile) {
      each.other().outcomes().forEach((what, many) -> outcomes.merge(what, many, Long::sum));
    }
    long requests = 0;
    for (Stretch each : hostile) {
      requests += each.good().answers() + each.good().failures();
    }
    return LINE.formatted(
        attack.shown(),
        requests,
        failures(stretches, Beside.HOSTILE),
        millis(p50(stretches, Beside.NOBODY)),
        millis(p50(stretches, Beside.HARMLESS)),
        millis(p50(stretches, Beside.HOSTILE)),
        millis(p99(stretches, Beside.NOBODY)),
        millis(p99(stretches, Beside.HARMLESS)),
        millis(p99(stretches, Beside.HOSTILE)),
        "%.1f, %.1f"
            .formatted(median(hostile, Stretch::gatewayCpu), median(hostile, Stretch::otherCpu)),
        hostile.stream().mapToLong(each -> each.other().attempts()).sum(),
        Outcomes.shown(outcomes));
  }

  private static List<Stretch> of(Map<Beside, List<Stretch>> stretches, Beside beside) {
    return Objects.requireNonNull(stretches.get(beside));
  }

  private static long failures(Map<Beside, List<Stretch>> stretches, Beside beside) {
    return of(stretches, beside).stream().mapToLong(each -> each.good().failures()).sum();
  }

  private static double p50(Map<Beside, List<Stretch>> stretches, Beside beside) {
    return median(of(stretches, beside), each -> each.good().whole(50));
  }

  private static double p99(Map<Beside, List<Stretch>> stretches, Beside beside) {
    return median(of(stretches, beside), each -> each.good().whole(99));
  }

  private static double median(List<Stretch> stretches, ToDoubleFunction<Stretch> value) {
    return Statistics.median(stretches.stream().mapToDouble(value).toArray());
  }

  private static String millis(double micros) {
    return "%.1f".formatted(micros / 1e3);
  }

  private static Map<String, Object> details(Map<Beside, List<Stretch>> stretches) {
    Map<String, Object> all = new LinkedHashMap<>();
    stretches.forEach(
        (beside, each) -> all.put(beside.shown, each.stream().map(Stretch::details).toList()));
    return all;
  }
}
