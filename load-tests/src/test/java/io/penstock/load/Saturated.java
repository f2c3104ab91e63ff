package io.penstock.load;

import static io.gatling.javaapi.core.CoreDsl.StringBody;
import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.during;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.global;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * {@code 02-saturated}: clients who would send five times what the budgets allow, for two minutes.
 * One budget is the endpoint's own {@code token_window}, the other what a provider allows in any
 * trailing minute, which refuses what is beyond it.
 */
public final class Saturated extends Played {
  private static final Duration WARMUP = Duration.ofSeconds(20);
  private static final int WARMUP_CONNECTIONS = 16;
  private static final int DELAY_MILLIS = 500;
  private static final int OVER_BUDGET = 5;
  private static final int COST = Upstream.PROMPT_TOKENS + Upstream.COMPLETION_TOKENS;

  /** States as much output as the provider counts a request, so that both add up the same. */
  private static final String BODY =
      Load.BODY.replace("\"max_tokens\":100", "\"max_tokens\":" + COST);

  private final Duration length = Duration.ofMinutes(settings().minutes(2));
  private final Budget window;
  private final Budget trailing;
  private final int port;

  /** Says what is sent; Gatling sends it once {@link #start} has run. */
  public Saturated() throws IOException {
    super("02-saturated");
    window = new Budget("token_window", 60_000, 10, 98, true, Machine.freePort());
    trailing = new Budget("upstream trailing 60 s", 90_000, 60, 97, false, Machine.freePort());
    port = Machine.freePort();
    setUp(clients(window, "/window"), clients(trailing, "/trailing"))
        .protocols(http.baseUrl("http://127.0.0.1:" + port).shareConnections())
        .maxDuration(length.plusMinutes(2))
        .assertions(global().failedRequests().count().is(0L));
  }

  private PopulationBuilder clients(Budget budget, String path) {
    double perSecond = (double) budget.tokens() / COST / budget.seconds();
    int clients = (int) Math.ceil(OVER_BUDGET * perSecond * DELAY_MILLIS / 1e3);
    // a little longer, so that the last window is over while there is still load
    return scenario(budget.name())
        .exec(
            during(length.plusSeconds(2))
                .on(
                    exec(
                        http(budget.name())
                            .post(path + "/v1/chat/completions")
                            .header("Content-Type", "application/json")
                            .body(StringBody(BODY))
                            .check(status().is(200))),
                    exec(session -> count(budget, session))))
        .injectOpen(atOnceUsers(clients));
  }

  private static Session count(Budget budget, Session session) {
    budget.count(!session.isFailed());
    return session.markAsSucceeded();
  }

  @Override
  void start() throws IOException, InterruptedException {
    int unlimited = stage().upstream("upstream");
    provider("window-upstream", window, 0);
    provider("trailing-upstream", trailing, trailing.tokens());
    Path made = stage().directory();
    Path routes = Files.writeString(made.resolve("routes.yaml"), routes(unlimited));
    stage().penstock(Penstock.NAME, routes, port, List.of());
    warmUp(made);
  }

  /**
   * What is slow once, when a gateway or a provider has just started, is not what budgets are
   * about: a provider that counts its first requests late would still count them when the gateway
   * may send the next.
   */
  private void warmUp(Path made) throws IOException, InterruptedException {
    Load load = Load.by("own", made, made, WARMUP_CONNECTIONS);
    load.measure(peer(port, "/warm-up" + Cast.PATH), WARMUP);
    for (Budget each : List.of(window, trailing)) {
      load.measure(peer(each.port(), Upstream.UNCOUNTED + Cast.PATH), WARMUP);
    }
  }

  private static Peer peer(int port, String path) {
    return new Peer("warm-up", port, path, "", Double.NaN, head -> true);
  }

  private String routes(int unlimited) {
    return """
    endpoints:
      - path: /warm-up
        dialect: openai
        upstreams: [{id: warm-up, url: "http://127.0.0.1:%d"}]
      - path: /window
        dialect: openai
        algorithm: token_window
        tokens_per_window: %d
        window_seconds: %d
        upstreams: [{id: window, url: "http://127.0.0.1:%d"}]
      - path: /trailing
        dialect: openai
        upstreams: [{id: trailing, url: "http://127.0.0.1:%d", tpm_limit: %d}]
    """
        .formatted(
            unlimited,
            window.tokens(),
            window.seconds(),
            window.port(),
            trailing.port(),
            trailing.tokens());
  }

  private void provider(String name, Budget budget, int limit)
      throws IOException, InterruptedException {
    stage()
        .start(
            name,
            budget.port(),
            Machine.main(
                Upstream.class,
                "--port=" + budget.port(),
                "--delay-ms=" + DELAY_MILLIS,
                "--tpm=" + limit,
                "--cost=" + COST));
  }

  @Override
  Report report() throws IOException, InterruptedException {
    List<Budget.Used> used = List.of(window.used(length), trailing.used(length));
    String title =
        "02-saturated: %d × over budget for %d minutes; %s"
            .formatted(OVER_BUDGET, length.toMinutes(), Machine.described());
    boolean good = used.stream().allMatch(each -> each.failures() == 0);
    return new Report(
        title, Budget.table(used), Budget.figures(used), Map.of("budgets", used), good);
  }
}
