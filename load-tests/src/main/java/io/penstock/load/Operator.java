package io.penstock.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a Penstock says of itself on its operator port. */
final class Operator {
  private static final Duration ANSWER = Duration.ofSeconds(30);
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final int port;
  private final JsonMapper json = new JsonMapper();

  /** What is asked again until it says yes. */
  interface Question {
    boolean holds() throws IOException, InterruptedException;
  }

  Operator(int port) {
    this.port = port;
  }

  int port() {
    return port;
  }

  /** Asks until the answer is yes; fails with what was asked for when it takes too long. */
  static void await(String what, Duration longest, Question question)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    while (!question.holds()) {
      if (System.nanoTime() > end) {
        throw new IOException(what + ": not within " + longest);
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return get(port, path);
  }

  /** Asks whoever listens on a port. */
  static HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
    return get(port, path, ANSWER);
  }

  /** Asks whoever listens on a port, and waits so long for the answer at most. */
  static HttpResponse<String> get(int port, String path, Duration longest)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    HttpRequest request = HttpRequest.newBuilder(uri).timeout(longest).build();
    return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** Returns whether it takes requests; false also while nobody answers. */
  boolean ready() throws InterruptedException {
    try {
      return get("/actuator/health/readiness").statusCode() == 200;
    } catch (IOException nobodyYet) {
      return false;
    }
  }

  /** Returns an answer in JSON. */
  JsonNode json(String path) throws IOException, InterruptedException {
    HttpResponse<String> answer = get(path);
    if (answer.statusCode() != 200) {
      throw new IOException(path + " answered " + answer.statusCode() + " " + answer.body());
    }
    return json.readTree(answer.body());
  }

  /** Returns the sum of the lines of a metric that have some labels, written as they are there. */
  double metric(String name, String... labels) throws IOException, InterruptedException {
    return sum(get("/actuator/prometheus").body(), name, labels);
  }

  static double sum(String scraped, String name, String... labels) {
    double sum = 0;
    for (String line : scraped.split("\n", -1)) {
      if (line.startsWith(name + "{") || line.startsWith(name + " ")) {
        boolean all = true;
        for (String label : labels) {
          all &= line.contains(label);
        }
        sum += all ? Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)) : 0;
      }
    }
    return sum;
  }

  /** Returns how many requests wait at all endpoints. */
  long waiting() throws IOException, InterruptedException {
    long waiting = 0;
    for (JsonNode endpoint : json("/endpoints")) {
      waiting += endpoint.required("queue_depth").asLong();
    }
    return waiting;
  }

  /** Returns the tokens that are held for answers which run, in all limits of upstreams. */
  long held() throws IOException, InterruptedException {
    long held = 0;
    for (JsonNode each : json("/upstreams").findValues("held")) {
      held += each.asLong();
    }
    return held;
  }

  /** Returns what a key used: requests, input and output tokens. */
  long[] used(String key) throws IOException, InterruptedException {
    long[] used = new long[3];
    for (JsonNode row : json("/usage?group_by=key").required("rows")) {
      if (row.required("key").asString().equals(key)) {
        used[0] += row.required("requests").asLong();
        used[1] += row.required("input_tokens").asLong();
        used[2] += row.required("output_tokens").asLong();
      }
    }
    return used;
  }
}
