package io.penstock.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
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
    AtomicInteger seen = new AtomicInteger();
    Latencies streams =
        run(
            routes ->
                routes.post(
                    "/",
                    (request, response) -> {
                      int events = seen.incrementAndGet() % 2 == 0 ? 3 : 2;
                      return response.sendString(
                          Flux.range(0, events).map(each -> "data: " + each + "\n\n"), UTF_8);
                    }),
            3);
    assertThat(streams.answers()).isEqualTo(10);
    assertThat(streams.failures()).isEqualTo(10);
    assertThat(streams.events()).isEqualTo(50);
    assertThat(streams.reasons()).containsExactly(Map.entry("not all events", 10L));
  }

  @Test
  void whoeverIsNotThere_failsAll() throws Exception {
    OpenLoop loop = new OpenLoop(Machine.freePort(), LoadClient.http("/", "", ""), 0);
    Latencies told = loop.run(40, Duration.ZERO, HALF_A_SECOND);
    assertThat(told.failures()).isEqualTo(20);
    Latencies twice = told.plus(told);
    assertThat(twice.failures()).isEqualTo(40);
    assertThat(twice.reasons()).containsExactly(Map.entry("not sent: Connection refused", 40L));
  }
}
