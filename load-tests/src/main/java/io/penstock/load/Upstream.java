package io.penstock.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;
import tools.jackson.databind.json.JsonMapper;

/**
 * A provider in OpenAI's shape whose answer is always the same: a chat completion with its usage,
 * or a stream of it where {@code "stream":true} is asked for.
 */
final class Upstream {
  /** What every answer states it used. */
  static final int PROMPT_TOKENS = 200;

  /** What every answer states it produced. */
  static final int COMPLETION_TOKENS = 100;

  /** What a path begins with that costs nothing, so that one can be warm when it counts. */
  static final String UNCOUNTED = "/uncounted";

  private static final String USAGE =
      "\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"total_tokens\":%d}"
          .formatted(PROMPT_TOKENS, COMPLETION_TOKENS, PROMPT_TOKENS + COMPLETION_TOKENS);

  private static final ByteBuf ANSWER =
      fixed(
          "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"load\","
              + "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\""
              + "A mill needs water. ".repeat(20).strip()
              + "\"},\"finish_reason\":\"stop\"}],"
              + USAGE
              + "}");

  private static final ByteBuf EVENT =
      fixed(
          "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,"
              + "\"model\":\"load\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" water\"},"
              + "\"finish_reason\":null}]}\n\n");

  private static final ByteBuf USAGE_EVENT =
      fixed(
          "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,"
              + "\"model\":\"load\",\"choices\":[],"
              + USAGE
              + "}\n\n");

  private static final ByteBuf DONE = fixed("data: [DONE]\n\n");

  private static final ByteBuf THROTTLED =
      fixed("{\"error\":{\"message\":\"Rate limit reached\",\"type\":\"tokens\"}}");

  private final JsonMapper json = new JsonMapper();
  private final Duration delay;
  private final Duration pace;
  private final int events;
  private final int cost;
  private final Account account;

  private Upstream(Arguments given) {
    this.delay = Duration.ofMillis(given.number("delay-ms", 0));
    this.pace = Duration.ofMillis(given.number("event-ms", 10));
    this.events = given.number("events", 20);
    this.cost = given.number("cost", 0);
    int limit = given.number("tpm", 0);
    this.account = new Account(limit == 0 ? Long.MAX_VALUE : limit);
  }

  /**
   * Serves {@code --port} until it is killed. {@code --delay-ms} is how long an answer takes,
   * {@code --events} and {@code --event-ms} are those of a stream, {@code --cost} is what a request
   * counts (0: nothing is counted), and {@code --tpm} the tokens per trailing minute beyond which
   * it is 429 (0: none). What is asked below {@link #UNCOUNTED} costs nothing.
   */
  public static void main(String[] arguments) {
    Arguments given = new Arguments(arguments);
    Upstream upstream = new Upstream(given);
    HttpServer.create()
        .host("127.0.0.1")
        .port(given.number("port"))
        .route(
            routes ->
                routes
                    .get("/counts", upstream::counts)
                    .post(UNCOUNTED + "/**", upstream::uncounted)
                    .post("/**", upstream::answer))
        .bindNow()
        .onDispose()
        .block();
  }

  private Publisher<Void> counts(HttpServerRequest request, HttpServerResponse response) {
    Map<String, Object> counts =
        Map.of(
            "throttled",
            account.throttled(),
            "throttled_at",
            account.throttledAt(),
            "taken",
            account.taken());
    return response.sendString(Mono.just(json.writeValueAsString(counts)));
  }

  private Publisher<Void> answer(HttpServerRequest request, HttpServerResponse response) {
    return answer(request, response, account);
  }

  private Publisher<Void> uncounted(HttpServerRequest request, HttpServerResponse response) {
    return answer(request, response, new Account(Long.MAX_VALUE));
  }

  private Publisher<Void> answer(
      HttpServerRequest request, HttpServerResponse response, Account from) {
    return request
        .receive()
        .aggregate()
        .asString()
        .defaultIfEmpty("")
        .flatMap(body -> Mono.from(answer(body, response, from)));
  }

  private Publisher<Void> answer(String body, HttpServerResponse response, Account from) {
    if (cost > 0 && !from.take(System.nanoTime(), cost)) {
      return whole(response.status(429).header("retry-after", "1"), THROTTLED);
    }
    if (body.contains("\"stream\":true")) {
      return response
          .header(HttpHeaderNames.CONTENT_TYPE, "text/event-stream")
          .send(stream(body), each -> true);
    }
    return whole(response, ANSWER);
  }

  private Publisher<Void> whole(HttpServerResponse response, ByteBuf bytes) {
    response
        .header(HttpHeaderNames.CONTENT_TYPE, "application/json")
        .header(HttpHeaderNames.CONTENT_LENGTH, String.valueOf(bytes.readableBytes()));
    Mono<ByteBuf> once = Mono.just(bytes.duplicate());
    return response.send(delay.isZero() ? once : once.delayElement(delay));
  }

  private Flux<ByteBuf> stream(String body) {
    Flux<ByteBuf> text = Flux.interval(delay, pace).take(events).map(each -> EVENT.duplicate());
    Flux<ByteBuf> end = Flux.just(DONE.duplicate());
    if (body.contains("\"include_usage\":true")) {
      end = Flux.just(USAGE_EVENT.duplicate(), DONE.duplicate());
    }
    return text.concatWith(end);
  }

  private static ByteBuf fixed(String text) {
    return Unpooled.unreleasableBuffer(
        Unpooled.directBuffer().writeBytes(text.getBytes(StandardCharsets.UTF_8)).asReadOnly());
  }
}
