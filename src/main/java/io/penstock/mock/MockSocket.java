package io.penstock.mock;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.penstock.mock.MockAsk.Generate;
import io.penstock.mock.MockAsk.Refused;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.netty.http.server.HttpServerResponse;
import reactor.netty.http.server.WebsocketServerSpec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A WebSocket of OpenAI's responses: every message that arrives asks for a response, and every
 * event of the answer is a message. The requests of a socket are answered one after another. Each
 * of them counts as a request of the address; opening the socket does not.
 */
final class MockSocket {
  private static final WebsocketServerSpec SPEC =
      WebsocketServerSpec.builder().maxFramePayloadLength(MockRead.MAX_BODY_BYTES).build();

  private static final String DATA = "\ndata: ";
  private static final String EVENT_END = "\n\n";

  private final MockUpstream upstream;
  private final Function<JsonNode, MockAsk> reader;

  /** Creates a socket whose messages {@code reader} reads as the bodies of requests. */
  MockSocket(MockUpstream upstream, Function<JsonNode, MockAsk> reader) {
    this.upstream = upstream;
    this.reader = reader;
  }

  /** Opens the socket and answers its messages until the client closes it. */
  Mono<Void> serve(HttpServerResponse response) {
    return response.sendWebsocket(
        (in, out) ->
            out.sendObject(
                in.aggregateFrames(MockRead.MAX_BODY_BYTES)
                    .receive()
                    .asByteArray()
                    .concatMap(this::answers)
                    .map(TextWebSocketFrame::new),
                message -> true),
        SPEC);
  }

  private Flux<String> answers(byte[] message) {
    return Flux.defer(
        () -> {
          long number = upstream.begin();
          return answers(MockRead.body(message, this::read), number)
              .doFinally(signal -> upstream.end(signal == SignalType.ON_COMPLETE));
        });
  }

  private MockAsk read(JsonNode message) {
    if (!message.path("type").stringValue("").equals("response.create")) {
      return Refused.bad("type", "type: expected response.create.");
    }
    MockAsk ask = reader.apply(message);
    boolean silent = !message.path("generate").booleanValue(true);
    return silent && ask instanceof Generate generate ? generate.withoutOutput() : ask;
  }

  private Flux<String> answers(MockAsk ask, long number) {
    return switch (ask) {
      case Refused refused -> error(refused, number, new DefaultHttpHeaders());
      case Generate generate -> generate(generate, number);
      case MockAsk.Embed _, MockAsk.Count _ ->
          throw new IllegalStateException("no message of a WebSocket asks for " + ask);
    };
  }

  private Flux<String> generate(Generate ask, long number) {
    PromptCache.Use use = upstream.look(ask);
    HttpHeaders limits = new DefaultHttpHeaders();
    Refused refused = upstream.refusal(upstream.admit(ask, use), ask.model(), limits);
    if (refused != null) {
      return error(refused, number, limits);
    }
    return upstream
        .afterLatency()
        .thenMany(Flux.defer(() -> upstream.pieces(upstream.answer(ask, number, use))))
        .flatMapIterable(MockSocket::messages);
  }

  /** Returns the data of the events in a piece of a stream. */
  private static List<String> messages(byte[] piece) {
    List<String> messages = new ArrayList<>();
    String text = new String(piece, UTF_8);
    int at = text.indexOf(DATA);
    while (at >= 0) {
      int end = text.indexOf(EVENT_END, at);
      messages.add(text.substring(at + DATA.length(), end));
      at = text.indexOf(DATA, end);
    }
    return messages;
  }

  /** Returns an event that clients read as an HTTP error with this status and these headers. */
  private Flux<String> error(Refused refused, long number, HttpHeaders limits) {
    ObjectNode event = JsonMapper.shared().createObjectNode();
    event.put("type", "error").put("status", refused.fault().status);
    event.setAll((ObjectNode) JsonMapper.shared().readTree(upstream.error(refused, number)));
    ObjectNode headers = event.putObject("headers");
    limits.forEach(header -> headers.put(header.getKey(), header.getValue()));
    Mono<String> message = Mono.fromSupplier(event::toString);
    return upstream.delay(refused).then(message).flux();
  }
}
