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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * {@code 05-fairness}: keys of different weights at one endpoint that shares by them, all of which
 * always have somebody waiting; those of the second half have five times as many clients, which is
 * to get them nothing.
 */
public final class Fairness extends Played {
  private static final List<Integer> WEIGHTS = List.of(1, 2, 3, 4, 1, 2, 3, 4);
  private static final int CLIENTS = 8;
  private static final int GREED = 5;
  private static final int RATE = 100;
  private static final Duration LEAD = Duration.ofSeconds(10);
  private static final double GOAL = 0.99;
  private static final String SECRET = "fairness-";

  private final Duration length = Duration.ofMinutes(settings().minutes(1));
  private final List<Flow> flows = new ArrayList<>();
  private final int port;
  private long countsFrom;
  private long countsUntil;

  /** A key and what it got. */
  private static final class Flow {
    final int number;
    final int weight;
    final AtomicLong answers = new AtomicLong();
    final AtomicLong failures = new AtomicLong();

    Flow(int number, int weight) {
      this.number = number;
      this.weight = weight;
    }

    boolean greedy() {
      return number >= WEIGHTS.size() / 2;
    }

    int clients() {
      return greedy() ? CLIENTS * GREED : CLIENTS;
    }
  }

  /** Says what is sent; Gatling sends it once {@link #start} has run. */
  public Fairness() throws IOException {
    super("05-fairness");
    port = Machine.freePort();
    for (int weight : WEIGHTS) {
      flows.add(new Flow(flows.size(), weight));
    }
    setUp(flows.stream().map(this::clients).toList())
        .protocols(http.baseUrl("http://127.0.0.1:" + port).shareConnections())
        .maxDuration(length.plus(LEAD).plusMinutes(1))
        .assertions(global().failedRequests().count().is(0L));
  }

  private PopulationBuilder clients(Flow flow) {
    return scenario("key " + flow.number)
        .exec(
            during(length.plus(LEAD).plusSeconds(2))
                .on(
                    exec(
                        http("key " + flow.number)
                            .post("/fair" + Cast.PATH)
                            .header("Content-Type", "application/json")
                            .header("Authorization", "Bearer " + SECRET + flow.number)
                            .body(StringBody(Load.BODY))
                            .check(status().is(200))),
                    exec(
                        session -> {
                          count(flow, !session.isFailed());
                          return session.markAsSucceeded();
                        })))
        .injectOpen(atOnceUsers(flow.clients()));
  }

  private void count(Flow flow, boolean answered) {
    long now = System.nanoTime();
    if (!answered) {
      flow.failures.incrementAndGet();
    } else if (now - countsFrom >= 0 && now - countsUntil < 0) {
      flow.answers.incrementAndGet();
    }
  }

  private static String routes(int upstream) {
    StringBuilder text = new StringBuilder("keys:\n");
    for (int number = 0; number < WEIGHTS.size(); number++) {
      text.append(
          "  - {name: key-%d, weight: %d, sha256: %s}%n"
              .formatted(number, WEIGHTS.get(number), Penstock.sha256(SECRET + number)));
    }
    return text
        + """
        endpoints:
          - path: /fair
            dialect: openai
            algorithm: strict
            rate: %d
            scheduler: fair
            fair_by: key
            upstreams: [{id: u, url: "http://127.0.0.1:%d"}]
        """
            .formatted(RATE, upstream);
  }

  @Override
  void start() throws IOException, InterruptedException {
    int upstream = stage().upstream("upstream");
    Path routes = stage().directory().resolve("routes.yaml");
    Files.writeString(routes, routes(upstream));
    stage().penstock(Penstock.NAME, routes, port, List.of());
    countsFrom = System.nanoTime() + LEAD.toNanos();
    countsUntil = countsFrom + length.toNanos();
  }

  @Override
  Report report() {
    double[] services = new double[flows.size()];
    double all = flows.stream().mapToLong(flow -> flow.answers.get()).sum();
    double weights = WEIGHTS.stream().mapToInt(Integer::intValue).sum();
    String line = "%-8s %8s %8s %10s %10s %14s %8s%n";
    StringBuilder table =
        new StringBuilder(
            line.formatted(
                "key", "weight", "clients", "answers", "share %", "of its due", "failed"));
    long failures = 0;
    Map<String, Object> details = new LinkedHashMap<>();
    double least = Double.MAX_VALUE;
    double most = 0;
    for (Flow flow : flows) {
      double due = flow.answers.get() / all * weights / flow.weight;
      services[flow.number] = (double) flow.answers.get() / flow.weight;
      failures += flow.failures.get();
      least = Math.min(least, due);
      most = Math.max(most, due);
      details.put("key-" + flow.number, Map.of("weight", flow.weight, "answers", flow.answers));
      table.append(
          line.formatted(
              flow.number,
              flow.weight,
              flow.clients(),
              flow.answers,
              "%.2f".formatted(100 * flow.answers.get() / all),
              "%.3f".formatted(due),
              flow.failures));
    }
    double jain = Statistics.jain(services);
    String title =
        "05-fairness: %d keys, %d requests/s for %d s; %s"
            .formatted(flows.size(), RATE, length.toSeconds(), Machine.described());
    List<Figure> figures =
        List.of(
            Figure.atLeast(
                "fair shares: Jain's index of what keys get ÷ weight",
                "1, all alike",
                GOAL,
                jain,
                "%.5f; of its due: least %.3f, most %.3f".formatted(jain, least, most)));
    return new Report(title, table.toString(), figures, details, failures == 0);
  }
}
