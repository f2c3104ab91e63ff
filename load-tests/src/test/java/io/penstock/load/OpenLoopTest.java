package io.penstock.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;
import reactor.netty.http.server.HttpServerRoutes;

@Timeout(60)
class OpenLoopTest {
  private static final Duration HALF_A_SECOND = Duration.ofMillis(500);

  private static Latencies run(HttpServerRoutesOf routes, int events) throws Exception {
    DisposableServer server =
        HttpServer.create().host("127.0.0.1").port(0).route(routes::add).bindNow();
    try {
      byte[] request = LoadClient.http("/", "", "{}");
      OpenLoop loop = new OpenLoop(server.port(), request, events);
      return loop.run(40, HALF_A_SECOND, HALF_A_SECOND);
    } finally {
      server.disposeNow();
    }
  }

  private interface HttpServerRoutesOf {
    void add(HttpServerRoutes routes);
  }

  @Test
  void requests_afterTheLead_areAllCounted() throws Exception {
    AtomicInteger seen = new AtomicInteger();
    Latencies told =
        run(
            routes ->
                routes.post(
                    "/",
                    (request, response) -> {
                      seen.incrementAndGet();
                      return response.sendString(Mono.just("well"));
                    }),
            0);
    assertThat(seen).hasValue(40);
    assertThat(told.answers()).isEqualTo(20);
    assertThat(told.failures()).isZero();
    assertThat(told.wholeMicros().getTotalCount()).isEqualTo(20);
    assertThat(told.firstMicros().getTotalCount()).isEqualTo(20);
  }

  @Test
  void timeThatRequestsWaitForOneAnother_counts() throws Exception {
    // one at a time, 50 ms each: twice as long as there is until the next is due
    Latencies told =
        run(
            routes ->
                routes.post(
                    "/",
                    (request, response) -> {
                      LockSupport.parkNanos(50_000_000);
                      return response.sendString(Mono.just("late"));
                    }),
            0);
    assertThat(told.answers()).isEqualTo(20);
    assertThat(told.whole(100)).isGreaterThan(50_000);
  }

  @Test
  void refusals_andStreamsThatLackEvents_areFailures() throws Exception {
    Latencies refused =
        run(routes -> routes.post("/", (request, response) -> response.status(503).send()), 0);
    assertThat(refused.answers()).isZero();
    assertThat(refused.failures()).isEqualTo(20);
    assertThat(refused.reasons()).containsExactly(Map.entry("status 503", 20L));
    Latencies cut = run(routes -> routes.post("/", streaming(2)), 3);
    assertThat(cut.answers()).isZero();
    assertThat(cut.events()).isEqualTo(40);
    assertThat(cut.reasons()).containsExactly(Map.entry("not all events", 20L));
    assertThat(cut.wholeMicros().getTotalCount()).isZero();
  }

  @Test
  void streams_withAllTheirEvents_areAnswers() throws Exception {
    Latencies whole = run(routes -> routes.post("/", streaming(3)), 3);
    assertThat(whole.answers()).isEqualTo(20);
    assertThat(whole.events()).isEqualTo(60);
    assertThat(whole.reasons()).isEmpty();
  }

  private static BiFunction<HttpServerRequest, HttpServerResponse, Publisher<Void>> streaming(
      int events) {
    return (request, response) ->
        response.sendString(Flux.range(0, events).map(each -> "data: " + each + "\n\n"), UTF_8);
  }

  @Test
  void whoeverIsNotThere_failsAll() throws Exception {
    OpenLoop loop = new OpenLoop(Machine.freePort(), LoadClient.http("/", "", ""), 0);
    Latencies told = loop.run(40, Duration.ZERO, HALF_A_SECOND);
    assertThat(told.failures()).isEqualTo(20);
    Latencies twice = told.plus(told);
    assertThat(twice.failures()).isEqualTo(40);
    assertThat(twice.reasons())
        .containsExactly(Map.entry("not connected: Connection refused", 40L));
  }
}
