package io.penstock.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * {@code 12-promises}: requests that wait for an upstream whose pace and window are both used up,
 * and requests that are refused because they would wait too long. Prints the wait that the gateway
 * expected beside the wait that there was, and what became of refused requests that came back when
 * they were told.
 */
final class Promises implements Scenario {
  private static final int RPM = 60;
  private static final int BURST_SECONDS = 30;

  /**
   * As many as go within two windows: half of them wait for the pace, the others for the window.
   */
  private static final int WAITING = 90;

  private static final int REFUSED = 20;
  private static final int TIMEOUT_SECONDS = 100;
  private static final double TOLERATED_SHARE = 0.1;
  private static final double TOLERATED_SECONDS = 0.25;
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final Duration START = Duration.ofMinutes(5);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /**
   * A wait that was promised.
   *
   * @param position its place in the queue when the promise was made
   * @param promised how long it was to wait from then on, in seconds
   * @param waited how long it did
   * @param bound whether the promise was a lower bound
   */
  private record Promise(int position, double promised, double waited, boolean bound) {
    double error() {
      return waited - promised;
    }

    boolean kept() {
      double tolerated = Math.max(TOLERATED_SECONDS, TOLERATED_SHARE * waited);
      return bound ? error() > -tolerated : Math.abs(error()) <= tolerated;
    }
  }

  /**
   * An answer, and when it came.
   *
   * @param atNanos when its status was there, as {@link System#nanoTime} tells it
   */
  private record Answer(HttpResponse<String> response, long atNanos) {
    int status() {
      return response.statusCode();
    }

    double retryAfterSeconds() {
      return response.headers().firstValueAsLong("retry-after-ms").orElse(-1_000) / 1_000.0;
    }
  }

  @Override
  public String name() {
    return "12-promises";
  }

  @Override
  public Duration longest(Settings settings) {
    return LONGEST.plus(START);
  }

  private static String routes() {
    return """
    endpoints:
      - path: /load
        dialect: openai
        upstreams:
          - {id: paced, url: "mock://openai?tokens=10&latency=1ms", rpm: %d, burst_seconds: %d}
    """
        .formatted(RPM, BURST_SECONDS);
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    Path made = settings.made(name());
    try (Stage stage = new Stage(made, settings.jar())) {
      Gateway gateway = stage.penstock(Penstock.NAME, routes(), List.of());
      List<CompletableFuture<Answer>> waiting = new ArrayList<>();
      for (int each = 0; each < WAITING; each++) {
        waiting.add(send(gateway.port(), "wait-" + each, 0));
      }
      Operator operator = gateway.operator();
      Operator.await(
          "all requests have come", Duration.ofSeconds(30), () -> come(operator) >= WAITING);
      long asked = System.nanoTime();
      JsonNode tickets = operator.json("/tickets?path=/load&limit=1000");
      List<CompletableFuture<Answer>> refused = new ArrayList<>();
      for (int each = 0; each < REFUSED; each++) {
        refused.add(returning(gateway.port(), "refused-" + each, tickets.size() - 10));
      }
      List<Promise> promises = promises(tickets, waiting, asked);
      int servedLater = 0;
      for (CompletableFuture<Answer> each : refused) {
        servedLater += each.get().status() == 200 ? 1 : 0;
      }
      return report(promises, servedLater);
    } catch (ExecutionException e) {
      throw new IOException("a request failed: " + e.getCause(), e);
    }
  }

  private static long come(Operator operator) throws IOException, InterruptedException {
    return operator.waiting()
        + (long) operator.metric("penstock_tickets_total", "outcome=\"served\"");
  }

  /** Sends a request; with a timeout it is refused if it would have to wait longer. */
  private CompletableFuture<Answer> send(int port, String id, int timeoutSeconds) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/load" + Cast.PATH))
            .timeout(LONGEST)
            .header("content-type", "application/json")
            .header("x-request-id", id)
            .POST(HttpRequest.BodyPublishers.ofString(Load.BODY));
    if (timeoutSeconds > 0) {
      request.header("x-penstock-timeout", String.valueOf(timeoutSeconds));
    }
    return client
        .sendAsync(request.build(), HttpResponse.BodyHandlers.ofString())
        .thenApply(response -> new Answer(response, System.nanoTime()));
  }

  /** Sends a request that is refused, and sends it again when it is told to. */
  private CompletableFuture<Answer> returning(int port, String id, int timeoutSeconds) {
    return send(port, id, Math.clamp(timeoutSeconds, 1, TIMEOUT_SECONDS))
        .thenCompose(
            first -> {
              if (first.status() != 429) {
                return CompletableFuture.failedFuture(
                    new IOException("a request was to be refused, and got " + first.status()));
              }
              long millis = (long) (first.retryAfterSeconds() * 1_000);
              Executor later = CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
              return CompletableFuture.supplyAsync(() -> id, later)
                  .thenCompose(same -> send(port, same + "-again", timeoutSeconds));
            });
  }

  private static List<Promise> promises(
      JsonNode tickets, List<CompletableFuture<Answer>> waiting, long asked)
      throws InterruptedException, ExecutionException {
    List<Promise> promises = new ArrayList<>();
    for (JsonNode ticket : tickets) {
      Integer number = number(ticket.required("request_id").asString());
      if (number != null) {
        Answer answer = waiting.get(number).get();
        promises.add(
            new Promise(
                ticket.required("position").asInt(),
                ticket.required("expected_ms").asLong() / 1_000.0,
                (answer.atNanos() - asked) / 1e9,
                ticket.required("bound").asBoolean()));
      }
    }
    return promises;
  }

  private static @Nullable Integer number(String id) {
    return id.startsWith("wait-") ? Integer.valueOf(id.substring("wait-".length())) : null;
  }

  private Report report(List<Promise> promises, int servedLater) {
    String line = "%8s  %12s  %10s  %8s  %6s%n";
    StringBuilder table =
        new StringBuilder(line.formatted("position", "promised s", "waited s", "error", ""));
    for (int at = 0; at < promises.size(); at += Math.max(1, promises.size() / 15)) {
      Promise each = promises.get(at);
      table.append(
          line.formatted(
              each.position,
              seconds(each.promised),
              seconds(each.waited),
              seconds(each.error()),
              each.bound ? "bound" : ""));
    }
    long kept = promises.stream().filter(Promise::kept).count();
    double worst = promises.stream().mapToDouble(each -> Math.abs(each.error())).max().orElse(0);
    List<Figure> figures =
        List.of(
            Figure.that(
                "promised waits within 10 % or 250 ms of the truth",
                "all",
                kept == promises.size() && !promises.isEmpty(),
                "%d of %d, largest error %s s".formatted(kept, promises.size(), seconds(worst))),
            Figure.that(
                "requests served that were refused and came back when they were told",
                "all",
                servedLater == REFUSED,
                "%d of %d".formatted(servedLater, REFUSED)));
    String title =
        "%s: %d rpm, bursts of %d s, %d requests at once; %s"
            .formatted(name(), RPM, BURST_SECONDS, WAITING, Machine.described());
    return new Report(
        title, table.toString(), figures, Map.of("promises", promises), !promises.isEmpty());
  }

  private static String seconds(double value) {
    return "%.2f".formatted(value);
  }
}
