package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.cost.RequestContent;
import io.penstock.dialect.DialectTable;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.WaitPatience;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.fake.PatientWaits;
import io.penstock.gateway.body.BodyBudget;
import io.penstock.gateway.body.HeldBody;
import io.penstock.provider.request.WeighedRequest;
import io.penstock.queue.QueueBounds;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.scheduler.VirtualTimeScheduler;

class StreamHeartbeatTest {
  private static final Duration EVERY = Duration.ofSeconds(10);
  private static final Duration FIRST = Duration.ofSeconds(30);
  private static final Refusal REFUSAL = Refusal.of(RefusalReason.QUEUE_TIMEOUT, "it waited");
  private static final TicketOutcome OUTCOME = new TicketOutcome.Refused(REFUSAL);

  private final EndpointFixture endpoints = new EndpointFixture();
  private final VirtualTimeScheduler timer = VirtualTimeScheduler.create();
  private final Sinks.One<TicketOutcome> outcome = Sinks.one();
  private final List<String> received = new ArrayList<>();
  private final List<String> ends = new ArrayList<>();
  private final MockServerWebExchange exchange =
      MockServerWebExchange.from(MockServerHttpRequest.get("/openai"));

  StreamHeartbeatTest() {
    exchange
        .getResponse()
        .setWriteHandler(
            body ->
                body.doOnNext(buffer -> received.add(buffer.toString(StandardCharsets.UTF_8)))
                    .then());
  }

  private RequestContext passage() {
    return passage(DialectTable.OPENAI, "/openai/v1/chat/completions");
  }

  private RequestContext passage(Dialect dialect, String path) {
    EndpointSpec.Waiting waiting =
        new EndpointSpec.Waiting(
            new QueueBounds(10, 10, 10),
            0,
            0,
            false,
            0,
            0,
            new EndpointSpec.Heartbeats(EVERY.toNanos(), FIRST.toNanos()),
            0,
            0);
    Endpoint endpoint =
        endpoints.open(
            EndpointFixture.none("/openai")
                .waiting(waiting)
                .reading(EndpointSetup.reading(dialect, CostSource.BODY, 1, 256, 1_000)));
    GatewayParameters nothing =
        new GatewayParameters(
            null, WaitPatience.DEFAULT, 0, null, "", null, null, Set.of(), Set.of(), null);
    RequestContext requestContext =
        new RequestContext(
            "id-1",
            endpoint,
            nothing,
            new HeldBody(new BodyBudget(1_000, 1).claim("a")),
            ClientIdentity.ANYONE,
            ProviderCall.of(endpoint.spec(), "POST", path),
            new RequestLoop(new DefaultEventLoop()),
            () -> 0);
    Cost cost = new Cost(3, 4, 0);
    RequestContent content = new RequestContent("m", 3, 0, RequestContent.UNSTATED, 1, true);
    requestContext.setCost(cost, new WeighedRequest.Request(content, cost, true, null), content);
    return requestContext;
  }

  /** Waits with heartbeats, and then runs {@code then}. */
  private Disposable await(java.util.function.Function<ServerWebExchange, Mono<Void>> then) {
    return await(passage(), then);
  }

  private Disposable await(
      RequestContext requestContext,
      java.util.function.Function<ServerWebExchange, Mono<Void>> then) {
    requestContext.attach(exchange);
    byte[] beat = "-".getBytes(StandardCharsets.UTF_8);
    return new StreamHeartbeat(Mono.just(beat), FIRST, EVERY, timer)
        .until(
            outcome.asMono(),
            exchange,
            (later, decided) -> {
              assertThat(decided).isEqualTo(OUTCOME);
              return then.apply(later);
            })
        .subscribe(nothing -> {}, error -> ends.add(error.toString()), () -> ends.add("complete"));
  }

  private static Mono<Void> stream(ServerWebExchange later, Flux<String> events) {
    ServerHttpResponse response = later.getResponse();
    response.setStatusCode(HttpStatus.OK);
    response.getHeaders().setContentType(MediaType.TEXT_EVENT_STREAM);
    return response.writeAndFlushWith(events.map(event -> Flux.just(buffer(response, event))));
  }

  private static DataBuffer buffer(ServerHttpResponse response, String text) {
    return response.bufferFactory().wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Mono<Void> answer(
      ServerWebExchange later, HttpStatus status, MediaType type, Flux<String> body) {
    ServerHttpResponse response = later.getResponse();
    response.setStatusCode(status);
    response.getHeaders().setContentType(type);
    return response.writeWith(body.map(text -> buffer(response, text)));
  }

  /** Lets so much time pass that the client hears that many beats, the first one among them. */
  private void firstBeats(int times) {
    timer.advanceTimeBy(FIRST);
    beats(times - 1);
  }

  private void beats(int times) {
    timer.advanceTimeBy(EVERY.multipliedBy(times));
  }

  @Test
  void decidedBeforeTheFirstBeat_goesOnAsIfThereWereNone() {
    await(later -> later == exchange ? stream(later, Flux.just("a")) : Mono.never());
    timer.advanceTimeBy(FIRST.minusNanos(1));
    assertThat(exchange.getResponse().isCommitted()).isFalse();
    outcome.tryEmitValue(OUTCOME).orThrow();
    firstBeats(3);
    assertThat(received).containsExactly("a");
    assertThat(ends).containsExactly("complete");
  }

  @Test
  void beats_comeInTimeAndBeginTheAnswer() {
    await(later -> Mono.never());
    firstBeats(1);
    assertThat(received).containsExactly("-");
    assertThat(exchange.getResponse().getStatusCode()).isEqualTo(HttpStatus.OK);
    HttpHeaders headers = exchange.getResponse().getHeaders();
    assertThat(headers.getContentType())
        .isEqualTo(MediaType.valueOf("text/event-stream;charset=utf-8"));
    assertThat(headers.getFirst("x-request-id")).isEqualTo("id-1");
    assertThat(headers.getFirst("x-penstock-cost")).isEqualTo("7");
    assertThat(headers.getFirst("x-penstock-endpoint")).isEqualTo("/openai");
    assertThat(headers.headerNames()).doesNotContain("x-penstock-upstream", "x-penstock-queued-ms");
    timer.advanceTimeBy(EVERY.minusNanos(1));
    assertThat(received).hasSize(1);
    timer.advanceTimeBy(Duration.ofNanos(1));
    beats(2);
    assertThat(received).containsExactly("-", "-", "-", "-");
  }

  @Test
  void answerAfterBeats_followsOnThem() {
    Sinks.Many<String> events = Sinks.many().unicast().onBackpressureBuffer();
    await(later -> stream(later, events.asFlux()));
    firstBeats(2);
    outcome.tryEmitValue(OUTCOME).orThrow();
    beats(2);
    assertThat(received).containsExactly("-", "-");
    events.tryEmitNext("a").orThrow();
    events.tryEmitNext("b").orThrow();
    assertThat(received).containsExactly("-", "-", "a", "b");
    assertThat(ends).isEmpty();
    events.tryEmitComplete().orThrow();
    assertThat(ends).containsExactly("complete");
  }

  @Test
  void refusalAfterBeats_isOneErrorEvent() {
    await(later -> RefusalWriter.refuse(later, RequestContext.of(later), REFUSAL));
    firstBeats(1);
    outcome.tryEmitValue(OUTCOME).orThrow();
    assertThat(received).hasSize(2);
    assertThat(received.getLast())
        .startsWith("data: {\"error\":{\"message\":\"it waited\"")
        .contains("\"code\":\"queue_timeout\"")
        .endsWith("}}\n\n");
    assertThat(ends).containsExactly("complete");
  }

  @Test
  void upstreamsError_isOneErrorEvent() {
    Flux<String> body = Flux.just("{\"error\":\n", "{\"message\":\"no\"}\r\n}");
    await(later -> answer(later, HttpStatus.TOO_MANY_REQUESTS, MediaType.APPLICATION_JSON, body));
    firstBeats(1);
    outcome.tryEmitValue(OUTCOME).orThrow();
    assertThat(received).containsExactly("-", "data: {\"error\": {\"message\":\"no\"}  }\n\n");
    assertThat(ends).containsExactly("complete");
  }

  @Test
  void answerThatIsNoStreamAndNoErrorOfTheDialect_isAnErrorEventOfOurs() {
    record Case(HttpStatus status, MediaType type, Flux<String> body) {}
    List<Case> cases =
        List.of(
            new Case(HttpStatus.OK, MediaType.APPLICATION_JSON, Flux.just("{\"choices\":[]}")),
            new Case(HttpStatus.BAD_GATEWAY, MediaType.TEXT_HTML, Flux.just("<html>")),
            new Case(HttpStatus.BAD_GATEWAY, MediaType.APPLICATION_JSON, Flux.just("nonsense")),
            new Case(HttpStatus.BAD_GATEWAY, MediaType.APPLICATION_JSON, Flux.empty()),
            new Case(
                HttpStatus.BAD_GATEWAY,
                MediaType.APPLICATION_JSON,
                Flux.just("{").concatWith(Flux.error(new IOException("broke")))),
            new Case(
                HttpStatus.BAD_GATEWAY,
                MediaType.APPLICATION_JSON,
                Flux.just("{", " ".repeat(64 << 10))));
    for (Case each : cases) {
      StreamHeartbeatTest fresh = new StreamHeartbeatTest();
      fresh.await(later -> answer(later, each.status(), each.type(), each.body()));
      fresh.firstBeats(1);
      fresh.outcome.tryEmitValue(OUTCOME).orThrow();
      assertThat(fresh.received).as(each.toString()).hasSize(2);
      assertThat(fresh.received.getLast())
          .startsWith("data: {\"error\":")
          .contains("with status " + each.status().value())
          .endsWith("\"code\":\"upstream_unreachable\"}}\n\n");
      assertThat(fresh.ends).containsExactly("complete");
    }
  }

  /** Returns the events of an answer after a beat, in a call to that path. */
  private static String late(
      Dialect dialect, String path, HttpStatus status, MediaType type, String body) {
    StreamHeartbeatTest fresh = new StreamHeartbeatTest();
    fresh.await(
        fresh.passage(dialect, path), later -> answer(later, status, type, Flux.just(body)));
    fresh.firstBeats(1);
    fresh.outcome.tryEmitValue(OUTCOME).orThrow();
    assertThat(fresh.ends).containsExactly("complete");
    assertThat(RequestContext.status(fresh.exchange)).isEqualTo(status.value());
    return fresh.received.getLast();
  }

  @Test
  void upstreamDoesNotUnderstandTheRequest_theEventSaysThatRepeatingIsUseless() {
    String chat = "/openai/v1/chat/completions";
    for (String body : List.of("<html>", "{\"detail\":\"Not Found\"}", "{\"error\":\"no\"}", "[")) {
      for (MediaType type : List.of(MediaType.TEXT_HTML, MediaType.APPLICATION_JSON)) {
        assertThat(late(DialectTable.OPENAI, chat, HttpStatus.NOT_FOUND, type, body))
            .startsWith("data: {\"error\":{\"message\":\"the upstream answered with status 404")
            .endsWith(
                "\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"bad_request\"}}\n\n");
      }
    }
    assertThat(
            late(
                DialectTable.ANTHROPIC,
                "/openai/v1/messages",
                HttpStatus.UNPROCESSABLE_CONTENT,
                MediaType.TEXT_PLAIN,
                "no"))
        .contains("\"type\":\"invalid_request_error\"");
    assertThat(
            late(
                DialectTable.GEMINI,
                "/openai/v1beta/models/g:streamGenerateContent",
                HttpStatus.NOT_FOUND,
                MediaType.TEXT_PLAIN,
                "no"))
        .contains("\"code\":400", "INVALID_ARGUMENT");
  }

  @Test
  void streamOfAResponse_endsByTheEventAfterWhichCodexStops() {
    String error = "{\"error\":{\"message\":\"unknown tool\",\"type\":\"x\"}}";
    String responses = "/openai/v1/responses";
    MediaType json = MediaType.APPLICATION_JSON;
    assertThat(late(DialectTable.OPENAI, responses, HttpStatus.BAD_REQUEST, json, error))
        .isEqualTo(
            "event: response.failed\n"
                + "data: {\"type\":\"response.failed\",\"sequence_number\":0,\"response\":"
                + "{\"id\":\"id-1\",\"object\":\"response\",\"status\":\"failed\",\"output\":[],"
                + "\"error\":{\"code\":\"invalid_prompt\",\"message\":\"unknown tool\"}}}\n\n"
                + "data: "
                + error
                + "\n\n");
    for (HttpStatus again :
        List.of(
            HttpStatus.REQUEST_TIMEOUT,
            HttpStatus.TOO_MANY_REQUESTS,
            HttpStatus.INTERNAL_SERVER_ERROR)) {
      assertThat(late(DialectTable.OPENAI, responses, again, json, error))
          .isEqualTo("data: " + error + "\n\n");
    }
  }

  @Test
  void refusalThatRepeatingCannotHelp_hasATypeThatSaysSo() {
    Refusal spent =
        new Refusal(RefusalReason.KEY_BUDGET, "key a: no token is left", 3_600_000_000_000L);
    RequestContext requestContext = passage(DialectTable.ANTHROPIC, "/openai/v1/messages");
    await(requestContext, later -> RefusalWriter.refuse(later, requestContext, spent));
    firstBeats(1);
    outcome.tryEmitValue(OUTCOME).orThrow();
    assertThat(received.getLast())
        .startsWith("event: error\n")
        .contains("\"type\":\"invalid_request_error\",\"message\":\"key a: no token is left");
    assertThat(RequestContext.status(exchange)).isEqualTo(429);
  }

  @Test
  void streamThatBreaksOff_isItsWritersToEnd() {
    Sinks.Many<String> events = Sinks.many().unicast().onBackpressureBuffer();
    List<String> errors = new ArrayList<>();
    await(
        later ->
            stream(later, events.asFlux())
                .onErrorResume(
                    error -> {
                      errors.add(error.getMessage() + " " + later.getResponse().isCommitted());
                      return Mono.empty();
                    }));
    firstBeats(1);
    outcome.tryEmitValue(OUTCOME).orThrow();
    events.tryEmitNext("a").orThrow();
    events.tryEmitError(new IOException("broke")).orThrow();
    assertThat(errors).containsExactly("broke true");
    assertThat(received).containsExactly("-", "a");
    assertThat(ends).containsExactly("complete");
  }

  @Test
  void writerThatFails_failsTheAnswer() {
    await(later -> Mono.error(new IllegalStateException("a fault")));
    firstBeats(1);
    outcome.tryEmitValue(OUTCOME).orThrow();
    assertThat(ends).singleElement().asString().contains("a fault");
  }

  @Test
  void clientGone_getsNoMoreBeats() {
    await(later -> Mono.never()).dispose();
    firstBeats(3);
    assertThat(received).isEmpty();

    StreamHeartbeatTest beating = new StreamHeartbeatTest();
    Disposable waits = beating.await(later -> Mono.never());
    beating.firstBeats(2);
    waits.dispose();
    beating.beats(3);
    assertThat(beating.received).hasSize(2);
  }

  @Test
  void clientGoneWhileItsPlaceIsOnTheWay_endsNothingElse() {
    RequestContext requestContext = passage();
    Endpoint endpoint = requestContext.endpoint();
    EmbeddedChannel client = new EmbeddedChannel();
    StreamHeartbeat heartbeat =
        StreamHeartbeat.of(
            requestContext,
            EndpointFixture.submit(endpoint, 1),
            Duration.ofSeconds(20).toNanos(),
            client.eventLoop());
    assertThat(heartbeat).isNotNull();
    assertThat(heartbeat.first()).isEqualTo(FIRST.minusSeconds(20));
    assertThat(heartbeat.every()).isEqualTo(EVERY);
    for (String places : List.of("to be asked for", "known")) {
      List<Throwable> dropped = new ArrayList<>();
      Consumer<Throwable> dropping = dropped::add;
      heartbeat
          .beat(exchange.getResponse().bufferFactory())
          .contextWrite(context -> context.put("reactor.onErrorDropped.local", dropping))
          .subscribe()
          .dispose();
      assertThat(dropped).as("places that are " + places).isEmpty();
      CompletionStage<?> asked = endpoint.places();
      endpoints.drivers.run();
      PatientWaits.join(asked);
    }
    client.finishAndReleaseAll();
  }

  @Test
  void clientGoneWhileTheAnswerIsWritten_cancelsItsWriter() {
    AtomicInteger cancelled = new AtomicInteger();
    Disposable waits =
        await(
            later ->
                stream(later, Flux.<String>never().doOnCancel(cancelled::incrementAndGet))
                    .doOnCancel(cancelled::incrementAndGet));
    firstBeats(1);
    outcome.tryEmitValue(OUTCOME).orThrow();
    assertThat(cancelled).hasValue(0);
    waits.dispose();
    assertThat(cancelled).hasValue(2);
  }
}
