package io.penstock.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A budget that more is asked of than it has, and what its clients and its provider saw. */
final class Budget {
  private final String name;
  private final int tokens;
  private final int seconds;
  private final int goalPercent;
  private final int port;
  private final boolean fixed;
  private final AtomicLong answers = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();

  /**
   * What became of it.
   *
   * @param budget its name
   * @param usedPercent what its provider counted over all whole windows, of what they had
   * @param leastPercent the same of the window that was used least
   * @param mostPercent the same of the window that was used most
   * @param throttled how many requests the provider refused
   * @param failures how many requests did not get an answer of 200
   * @param answers how many did
   * @param goalPercent what was to be used at least
   * @param throttledMillis when the provider refused, after the first request it took
   */
  record Used(
      String budget,
      double usedPercent,
      double leastPercent,
      double mostPercent,
      long throttled,
      long failures,
      long answers,
      int goalPercent,
      List<Long> throttledMillis) {}

  /**
   * Makes one of tokens in a window of seconds, fixed or trailing, whose provider listens on a port
   * of loopback.
   */
  Budget(String name, int tokens, int seconds, int goalPercent, boolean fixed, int port) {
    this.name = name;
    this.tokens = tokens;
    this.seconds = seconds;
    this.goalPercent = goalPercent;
    this.fixed = fixed;
    this.port = port;
  }

  String name() {
    return name;
  }

  int tokens() {
    return tokens;
  }

  int seconds() {
    return seconds;
  }

  int port() {
    return port;
  }

  /** Counts what became of a request. */
  void count(boolean answered) {
    (answered ? answers : failures).incrementAndGet();
  }

  /** Asks the provider what it counted while there was load, which began with its first request. */
  Used used(Duration length) throws IOException, InterruptedException {
    JsonNode counts = counts();
    int many = (int) (length.toSeconds() / seconds);
    List<long[]> taken = new ArrayList<>();
    for (JsonNode each : counts.required("taken")) {
      taken.add(new long[] {each.required(0).asLong(), each.required(1).asLong()});
    }
    List<Long> refused = new ArrayList<>();
    counts.required("throttled_at").forEach(each -> refused.add(each.asLong()));
    long millis = 1_000L * seconds;
    Grid grid = fixed ? Grid.bestOf(taken, millis, many) : Grid.from(0, taken, millis, many);
    return new Used(
        name,
        100.0 * grid.sum() / many / tokens,
        100.0 * grid.least() / tokens,
        100.0 * grid.most() / tokens,
        counts.required("throttled").asLong(),
        failures.get(),
        answers.get(),
        goalPercent,
        refused);
  }

  private JsonNode counts() throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + "/counts");
    HttpRequest request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20)).build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      String said = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
      return new JsonMapper().readTree(said);
    }
  }

  /** Returns what was promised of all. */
  static List<Figure> figures(List<Used> all) {
    List<Figure> figures = new ArrayList<>();
    for (Used each : all) {
      figures.add(
          Figure.atLeast(
              "saturated: " + each.budget() + ", used %",
              "–",
              each.goalPercent(),
              each.usedPercent(),
              "%.2f, least %.2f, most %.2f"
                  .formatted(each.usedPercent(), each.leastPercent(), each.mostPercent())));
      figures.add(
          Figure.that(
              "saturated: " + each.budget() + ", provider 429s · client failures",
              "0 · 0",
              each.throttled() == 0 && each.failures() == 0,
              "%d · %d of %d".formatted(each.throttled(), each.failures(), each.answers())));
    }
    return figures;
  }

  /** Returns a line for each. */
  static String table(List<Used> all) {
    StringBuilder text = new StringBuilder();
    String line = "%-24s %8s %8s %8s %14s %16s %10s%n";
    text.append(
        line.formatted(
            "budget",
            "used %",
            "least %",
            "most %",
            "provider 429s",
            "client failures",
            "answers"));
    for (Used each : all) {
      text.append(
          line.formatted(
              each.budget(),
              "%.2f".formatted(each.usedPercent()),
              "%.2f".formatted(each.leastPercent()),
              "%.2f".formatted(each.mostPercent()),
              each.throttled(),
              each.failures(),
              each.answers()));
      if (!each.throttledMillis().isEmpty()) {
        text.append("  429s, ms after the first request: ")
            .append(each.throttledMillis())
            .append('\n');
      }
    }
    return text.toString();
  }
}
