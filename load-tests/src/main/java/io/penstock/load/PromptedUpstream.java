package io.penstock.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/**
 * A provider in OpenAI's shape that does what a word in the prompt asks for: whoever may write
 * prompts can make a real provider fail, take long or say much, too.
 */
final class PromptedUpstream {
  /** The answer is 500. */
  static final String FAIL = "please-fail";

  /** The answer is 429, to be sent again at once. */
  static final String REFUSE = "please-refuse";

  /** The answer comes after two seconds. */
  static final String SLOW = "please-wait";

  /** The answer is a stream of 16 MiB, as fast as it is read. */
  static final String FLOOD = "please-flood";

  /** The answer is a stream that says how it ended, and states its usage two seconds later. */
  static final String LATE_USAGE = "please-state-usage-late";

  /** The answer states an input of 2,000 tokens, whatever the request has. */
  static final String FIND = "please-find";

  private static final Duration LONG = Duration.ofSeconds(2);
  private static final int FLOOD_EVENTS = 4_096;
  private static final int LOOKED_AT = 4_096;
  private static final String USAGE =
      "\"usage\":{\"prompt_tokens\":200,\"completion_tokens\":100,\"total_tokens\":300}";

  private static final String ANSWER =
      "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"load\","
          + "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\""
          + "A mill needs water. ".repeat(20).strip()
          + "\"},\"finish_reason\":\"stop\"}],"
          + USAGE
          + "}";

  private static final String FOUND = ANSWER.replace("200,", "2000,").replace("300}", "2100}");

  private static final ByteBuf EVENT = event(" water", null);
  private static final ByteBuf STOP = event("", "stop");
  private static final ByteBuf FLOOD_EVENT = event("x".repeat(4_096), null);
  private static final ByteBuf USAGE_EVENT = fixed("data: {\"choices\":[]," + USAGE + "}\n\n");
  private static final ByteBuf DONE = fixed("data: [DONE]\n\n");

  private static final String FAILED = "{\"error\":{\"message\":\"The server had an error\"}}";
  private static final String NOT_UPGRADED = "{\"object\":\"list\",\"data\":[]}";

  private final Duration delay;

  private PromptedUpstream(Duration delay) {
    this.delay = delay;
  }

  /**
   * Serves {@code --port} until it is killed. {@code --delay-ms} is how long an ordinary answer
   * takes. Every GET is answered with 200 and a small object, also one that asks for an upgrade.
   */
  public static void main(String[] arguments) {
    Arguments given = new Arguments(arguments);
    PromptedUpstream upstream =
        new PromptedUpstream(Duration.ofMillis(given.number("delay-ms", 5)));
    HttpServer.create()
        .host("127.0.0.1")
        .port(given.number("port"))
        .route(
            routes ->
                routes
                    .get("/**", (request, response) -> whole(response, NOT_UPGRADED))
                    .post("/**", upstream::answer))
        .bindNow()
        .onDispose()
        .block();
  }

  private Publisher<Void> answer(HttpServerRequest request, HttpServerResponse response) {
    // only the beginning is looked at, so that large bodies do not make this the slow one
    return request
        .receive()
        .asByteArray()
        .reduce(new StringBuilder(), PromptedUpstream::begun)
        .flatMap(body -> Mono.from(answer(body.toString(), response)));
  }

  private static StringBuilder begun(StringBuilder text, byte[] bytes) {
    int many = Math.min(bytes.length, LOOKED_AT - text.length());
    return text.append(new String(bytes, 0, many, StandardCharsets.ISO_8859_1));
  }

  private Publisher<Void> answer(String body, HttpServerResponse response) {
    if (body.contains(FAIL)) {
      return whole(response.status(500), FAILED);
    }
    if (body.contains(REFUSE)) {
      // without a limit, the gateway would take it for one of the provider's that is lower
      response
          .status(429)
          .header("retry-after", "0")
          .header("x-ratelimit-limit-tokens", String.valueOf(TwoTenants.UPSTREAM_TPM));
      return whole(response, FAILED);
    }
    if (body.contains(FLOOD)) {
      return stream(response, Flux.range(0, FLOOD_EVENTS).map(each -> FLOOD_EVENT.duplicate()));
    }
    if (body.contains(LATE_USAGE)) {
      Flux<ByteBuf> text = Flux.range(0, 3).map(each -> EVENT.duplicate());
      Flux<ByteBuf> end = Flux.just(USAGE_EVENT.duplicate(), DONE.duplicate());
      return stream(
          response, text.concatWithValues(STOP.duplicate()).concatWith(end.delaySequence(LONG)));
    }
    String json = body.contains(FIND) ? FOUND : ANSWER;
    Duration takes = body.contains(SLOW) ? LONG : delay;
    return Mono.delay(takes).then(Mono.defer(() -> Mono.from(whole(response, json))));
  }

  private static Publisher<Void> whole(HttpServerResponse response, String json) {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    return response
        .header("content-type", "application/json")
        .header("content-length", String.valueOf(bytes.length))
        .sendByteArray(Mono.just(bytes));
  }

  private static Publisher<Void> stream(HttpServerResponse response, Flux<ByteBuf> events) {
    return response.header("content-type", "text/event-stream").send(events, each -> true);
  }

  private static ByteBuf event(String text, @Nullable String finish) {
    return fixed(
        "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,"
            + "\"model\":\"load\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\""
            + text
            + "\"},\"finish_reason\":"
            + (finish == null ? "null" : "\"" + finish + "\"")
            + "}]}\n\n");
  }

  private static ByteBuf fixed(String text) {
    return Unpooled.unreleasableBuffer(
        Unpooled.directBuffer().writeBytes(text.getBytes(StandardCharsets.UTF_8)).asReadOnly());
  }
}
