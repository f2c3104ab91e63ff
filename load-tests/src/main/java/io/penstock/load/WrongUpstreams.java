package io.penstock.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableChannel;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;
import tools.jackson.databind.JsonNode;

/**
 * {@code 14-wrong-upstreams}: pairs of upstreams of which one is wrong in one {@link Wrong way},
 * all pairs at once, under the calls of three keys for two models: how many calls their clients
 * lost, how many reached the wrong upstream, and what operators see.
 */
final class WrongUpstreams implements Scenario {
  private static final List<String> KEYS = List.of("ada", "bob", "eve");
  private static final List<String> MODELS = List.of("one", "two");
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final Duration START = Duration.ofMinutes(3);
  private static final Duration ANSWER = Duration.ofSeconds(30);
  private static final String MARK = "A mill needs water";

  /** What happened to the calls of one pair. */
  private record Tally(
      LongAdder calls, LongAdder wrong, LongAdder well, Map<String, LongAdder> lost) {
    Tally() {
      this(new LongAdder(), new LongAdder(), new LongAdder(), new ConcurrentHashMap<>());
    }

    long losses() {
      return lost.values().stream().mapToLong(LongAdder::sum).sum();
    }
  }

  private final Map<Wrong, Tally> tallies = new ConcurrentHashMap<>();

  @Override
  public String name() {
    return "14-wrong-upstreams";
  }

  private static Duration stretch(Settings settings) {
    return settings.stretch(120);
  }

  @Override
  public Duration longest(Settings settings) {
    return stretch(settings).plus(START).plus(ANSWER);
  }

  private static String routes(int port) {
    StringBuilder routes = new StringBuilder("keys:\n");
    for (String key : KEYS) {
      routes.append("  - {name: %s, sha256: %s}\n".formatted(key, Penstock.sha256(key)));
    }
    routes.append("endpoints:\n");
    for (Wrong way : Wrong.values()) {
      routes.append(
          """
            - path: /%1$s
              dialect: %2$s
              upstreams:
                - {id: wrong-%1$s, url: "http://127.0.0.1:%3$d/wrong/%1$s", api_key: k, rpm: 60000}
                - {id: well-%1$s, url: "http://127.0.0.1:%3$d/well/%1$s", api_key: k, rpm: 60000}
          """
              .formatted(way.path(), way.dialect(), port));
    }
    return routes.toString();
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    Path made = settings.made(name());
    for (Wrong way : Wrong.values()) {
      tallies.put(way, new Tally());
    }
    DisposableServer server =
        HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .route(routes -> routes.post("/**", this::answer).get("/**", this::models))
            .bindNow();
    Map<Wrong, String> seen = new LinkedHashMap<>();
    try (Stage stage = new Stage(made, settings.jar())) {
      Gateway gateway = stage.penstock(Penstock.NAME, routes(server.port()), List.of());
      load(gateway.port(), stretch(settings));
      for (JsonNode each : gateway.operator().json("/upstreams")) {
        for (Wrong way : Wrong.values()) {
          if (each.required("id").asString().equals("wrong-" + way.path())) {
            seen.put(way, each.required("health").asString() + ", " + last(each));
          }
        }
      }
    } finally {
      server.disposeNow();
    }
    return report(settings, seen);
  }

  private static String last(JsonNode upstream) {
    JsonNode error = upstream.required("last_error");
    return error.isObject() ? error.required("what").asString() : "no error";
  }

  private Tally tally(Wrong way) {
    return Objects.requireNonNull(tallies.get(way));
  }

  private Publisher<Void> models(HttpServerRequest request, HttpServerResponse response) {
    Wrong way = way(request.uri());
    if (request.uri().startsWith("/wrong/") && way.status() >= 400 && !way.onlyAdditions()) {
      return wrong(way, response);
    }
    return response
        .header("content-type", "application/json")
        .sendString(Mono.just("{\"data\":[],\"models\":[]}"));
  }

  private static Wrong way(String uri) {
    String path = uri.split("/", 4)[2];
    for (Wrong each : Wrong.values()) {
      if (each.path().equals(path)) {
        return each;
      }
    }
    throw new IllegalArgumentException(uri);
  }

  private Publisher<Void> answer(HttpServerRequest request, HttpServerResponse response) {
    return request
        .receive()
        .aggregate()
        .asString()
        .defaultIfEmpty("")
        .flatMap(body -> Mono.from(answer(request.uri(), body, response)));
  }

  private Publisher<Void> answer(String uri, String body, HttpServerResponse response) {
    Wrong way = way(uri);
    boolean wrong = uri.startsWith("/wrong/");
    (wrong ? tally(way).wrong() : tally(way).well()).increment();
    boolean answersWrong = !way.onlyAdditions() || body.contains("stream_options");
    return wrong && answersWrong ? wrong(way, response) : well(way, response);
  }

  private static Publisher<Void> wrong(Wrong way, HttpServerResponse response) {
    if (way.status() == 0) {
      response.withConnection(DisposableChannel::dispose);
      return Mono.never();
    }
    response.status(way.status());
    response.header("content-type", "application/json");
    String[] header = way.header().split(": ", 2);
    if (header.length == 2) {
      response.header(header[0], header[1]);
    }
    return response.sendString(Mono.just(way.body()));
  }

  private static Publisher<Void> well(Wrong way, HttpServerResponse response) {
    response.header("content-type", way.stream() ? "text/event-stream" : "application/json");
    return response.sendString(Mono.just(way.stream() ? stream(way) : plain(way)));
  }

  private static String plain(Wrong way) {
    return switch (way.dialect()) {
      case "anthropic" ->
          "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],".formatted(MARK)
              + "\"usage\":{\"input_tokens\":5,\"output_tokens\":5}}";
      case "gemini" ->
          "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"%s\"}]}}],".formatted(MARK)
              + "\"usageMetadata\":{\"promptTokenCount\":5,\"candidatesTokenCount\":5}}";
      default ->
          "{\"choices\":[{\"message\":{\"content\":\"%s\"}}],".formatted(MARK)
              + "\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":5}}";
    };
  }

  private static String stream(Wrong way) {
    return way.dialect().equals("anthropic")
        ? "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":"
            + "{\"type\":\"text_delta\",\"text\":\"%s\"}}\n\n".formatted(MARK)
            + "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
        : "data: {\"choices\":[{\"delta\":{\"content\":\"%s\"}}]}\n\ndata: [DONE]\n\n"
            .formatted(MARK);
  }

  /** Sends the calls of all keys for all models, one after the other each, for so long. */
  private void load(int port, Duration length) throws IOException, InterruptedException {
    long end = System.nanoTime() + length.toNanos();
    try (HttpClient client = HttpClient.newHttpClient();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> running = new ArrayList<>();
      for (Wrong way : Wrong.values()) {
        for (String key : KEYS) {
          for (String model : MODELS) {
            HttpRequest request = request(port, way, key, model);
            running.add(threads.submit(() -> repeat(client, way, request, end)));
          }
        }
      }
      for (Future<?> each : running) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    }
  }

  private Object repeat(HttpClient client, Wrong way, HttpRequest request, long end)
      throws InterruptedException {
    while (System.nanoTime() - end < 0) {
      String lost = lost(client, request);
      tally(way).calls().increment();
      if (!lost.isEmpty()) {
        tally(way).lost().computeIfAbsent(lost, absent -> new LongAdder()).increment();
      }
      TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
    }
    return way;
  }

  /** Returns why the client got no good answer; empty if it got one. */
  private static String lost(HttpClient client, HttpRequest request) throws InterruptedException {
    try {
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      boolean good = answer.statusCode() == 200 && answer.body().contains(MARK);
      String reason = answer.headers().firstValue("x-penstock-reason").orElse("");
      return good ? "" : (answer.statusCode() + " " + reason).strip();
    } catch (IOException e) {
      return e.getClass().getSimpleName();
    }
  }

  private static HttpRequest request(int port, Wrong way, String key, String model) {
    String stream = way.stream() ? ",\"stream\":true" : "";
    String path =
        switch (way.dialect()) {
          case "anthropic" -> "/v1/messages";
          case "gemini" -> "/v1beta/models/" + model + ":generateContent";
          default -> Cast.PATH;
        };
    String body =
        way.dialect().equals("gemini")
            ? "{\"contents\":[{\"parts\":[{\"text\":\"Hi\"}]}]}"
            : "{\"model\":\"%s\",\"max_tokens\":50,\"messages\":[{\"role\":\"user\",\"content\":"
                    .formatted(model)
                + "\"Hi\"}]%s}".formatted(stream);
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/" + way.path() + path))
        .timeout(ANSWER)
        .header("content-type", "application/json")
        .header("x-penstock-key", key)
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  private Report report(Settings settings, Map<Wrong, String> seen) {
    String line = "%-30s %7s %6s %10s %9s  %s%n";
    StringBuilder table =
        new StringBuilder(
            line.formatted("wrong", "calls", "lost", "to wrong", "to well", "operators see"));
    List<Figure> figures = new ArrayList<>();
    Map<String, Object> details = new LinkedHashMap<>();
    long lost = 0;
    for (Wrong way : Wrong.values()) {
      Tally each = tally(way);
      lost += each.losses();
      String sees = seen.getOrDefault(way, "nothing");
      table.append(
          line.formatted(
              way.path(),
              each.calls().sum(),
              each.losses(),
              each.wrong().sum(),
              each.well().sum(),
              each.lost().isEmpty() ? sees : sees + "; clients: " + each.lost()));
      details.put(
          way.path(),
          Map.of(
              "calls", each.calls().sum(),
              "lost", each.losses(),
              "wrong", each.wrong().sum(),
              "well", each.well().sum(),
              "operators", sees));
    }
    figures.add(Figure.that("calls lost at clients", "0", lost == 0, "%,d".formatted(lost)));
    String title =
        "%s: %d keys, %d models, %d pairs of upstreams for %d s; %s"
            .formatted(
                name(),
                KEYS.size(),
                MODELS.size(),
                Wrong.values().length,
                stretch(settings).toSeconds(),
                Machine.described());
    return new Report(title, table.toString(), figures, details, lost == 0);
  }
}
