package io.penstock.gateway.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.coordination.MemoryCoordination;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RunningGateway;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the coordination API as programs use it. Each test has objects of its own. */
class CoordinationIT {
  private static final String ROUTES = "endpoints:\n  - path: /a\n";
  private static final int SIZE = 1_000;
  private static final long MILLI = 1_000_000L;

  private static RunningGateway gateway;

  @BeforeAll
  static void start() {
    gateway = RunningGateway.start(ROUTES, "--penstock.coordination.enabled=true");
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  private static String request(String method, String target) {
    return "%s %s HTTP/1.1\r\nHost: penstock\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        .formatted(method, target);
  }

  private static HttpMessage ask(String method, String target) {
    try (ByteSocket byteSocket = ByteSocket.to(gateway.port())) {
      return byteSocket.send(request(method, target)).answer();
    }
  }

  private static HttpMessage get(String target) {
    return ask("GET", target);
  }

  private static ByteSocket waiting(String target) {
    long before = waiting();
    ByteSocket byteSocket = ByteSocket.to(gateway.port()).send(request("GET", target));
    RunningGateway.awaiting().until(() -> waiting() == before + 1);
    return byteSocket;
  }

  private static long waiting() {
    return gateway.bean(MemoryCoordination.class).waiting();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1", ""})
  void semaphore_isHeldReleasedAndWaitedFor(String version) {
    String path = version + "/semaphore/s" + version.length();
    HttpMessage first = get(path + "/acquire");
    assertThat(first.status()).isEqualTo(200);
    assertThat(first.header("cache-control")).isEqualTo("no-store");
    assertThat(first.header("content-type")).isEqualTo("text/plain;charset=UTF-8");
    assertThat(first.header("x-request-id")).isNotEmpty();
    assertThat(first.text()).matches("[0-9a-f-]{36}");
    HttpMessage late = get(path + "/acquire?maxwait=0");
    assertThat(late.status()).isEqualTo(408);
    assertThat(late.header("cache-control")).isEqualTo("no-store");
    try (ByteSocket next = waiting(path + "/acquire?key=mine&id=me")) {
      assertThat(ask("POST", path + "/release?key=" + first.text()).status()).isEqualTo(204);
      assertThat(next.answer().text()).isEqualTo("mine");
    }
    assertThat(get(path + "/acquire?key=mine").text()).isEqualTo("mine");
    assertThat(get(path + "/release?key=" + first.text()).status()).isEqualTo(409);
    assertThat(get(path + "/release?key=mine").status()).isEqualTo(204);
    assertThat(get(path + "/stats").text())
        .startsWith("{\"acquired\":2,")
        .contains("\"reacquired\":1", "\"released\":2", "\"timed_out\":1", "\"max_ever_held\":1")
        .containsPattern("\"created_at\":\"20[^\"]*Z\"");
    assertThat(ask("DELETE", path).status()).isEqualTo(204);
    assertThat(get(path + "/stats").status()).isEqualTo(404);
    assertThat(ask("DELETE", path).status()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1", ""})
  void theOtherFive_doWhatTheyAreFor(String version) {
    String name = "/five" + version.length();
    String event = version + "/event" + name;
    try (ByteSocket early = waiting(event + "/wait")) {
      assertThat(get(event + "/send?message=go%20on").status()).isEqualTo(204);
      assertThat(early.answer().text()).isEqualTo("go on");
    }
    assertThat(get(event + "/wait").text()).isEqualTo("go on");
    assertThat(get(event + "/send").status()).isEqualTo(409);
    String bucket = version + "/tokenbucket" + name + "/acquire?size=1&interval=600000";
    assertThat(get(bucket).status()).isEqualTo(204);
    assertThat(get(bucket + "&maxwait=1").status()).isEqualTo(408);
    String watchdog = version + "/watchdog" + name;
    assertThat(get(watchdog + "/wait?maxwait=0").status()).isEqualTo(408);
    try (ByteSocket early = waiting(watchdog + "/wait")) {
      assertThat(get(watchdog + "/kick?expires=1").status()).isEqualTo(204);
      assertThat(early.answer().status()).isEqualTo(204);
    }
    String counter = version + "/counter" + name;
    assertThat(get(counter + "/count?amount=5").text()).isEqualTo("5");
    assertThat(get(counter + "/count?amount=-2").text()).isEqualTo("3");
    assertThat(get(counter + "/reset?value=9").status()).isEqualTo(204);
    assertThat(get(counter + "/value").text()).isEqualTo("9");
    String barrier = version + "/barrier" + name;
    try (ByteSocket early = waiting(barrier + "/wait?size=2")) {
      assertThat(get(barrier + "/wait?size=2").status()).isEqualTo(204);
      assertThat(early.answer().status()).isEqualTo(204);
    }
    assertThat(get(barrier + "/wait?size=2").status()).isEqualTo(409);
  }

  @Test
  void readiness_isAsBouncerSaysIt() {
    HttpMessage ready = get("/.well-known/ready");
    assertThat(ready.status()).isEqualTo(200);
    assertThat(ready.text()).isEqualTo("I'm ready!\n");
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /v1/semaphore/bad/acquire?siz=1, 400, siz",
    "GET, /v1/semaphore/bad/acquire?size=-1, 400, size",
    "GET, /v1/semaphore/bad/acquire?maxwait=-2, 400, maxwait",
    "GET, /v1/semaphore/bad/acquire?expires=1e9999, 400, expires",
    "GET, /v1/tokenbucket/bad/acquire?interval=0, 400, interval",
    "GET, /v1/semaphore/a%00b/acquire, 400, control",
    "GET, /v1/semaphore/a%C2%85b/acquire, 400, control",
    "GET, /v1/semaphore/bad/release, 400, key is missing",
    "GET, /v1/semaphore/bad/release?key=another, 409, nothing is held",
    "GET, /v1/counter/bad/count?amount=x, 400, amount",
    "GET, /v1/counter/bad/acquire, 404, nothing under this path",
    "GET, /v1/event/bad, 405, DELETE",
    "DELETE, /v1/event/bad/wait, 405, GET",
    "DELETE, /v1/event/bad?x=1, 400, x",
    "GET, /v1/event/bad/stats, 404, no such object",
    "PUT, /.well-known/ready, 405, GET",
  })
  void badInput_getsOneLineThatSaysWhy_andMakesNothing(
      String method, String target, int status, String why) {
    long before = gateway.bean(MemoryCoordination.class).objects();
    HttpMessage answer = ask(method, target);
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.text()).contains(why).hasLineCount(1);
    assertThat(answer.header("x-penstock-reason")).isNotEmpty();
    assertThat(gateway.bean(MemoryCoordination.class).objects()).isEqualTo(before);
  }

  @Test
  void nameOf4KiB_is400_andALongMessageIsNot() {
    assertThat(get("/v1/event/" + "n".repeat(4_096) + "/wait").text())
        .isEqualTo("name has 4096 characters, expected at most 256");
    String message = "m".repeat(8_192);
    assertThat(get("/v1/event/long/send?message=" + message).status()).isEqualTo(204);
    assertThat(get("/v1/event/long/wait").text()).isEqualTo(message);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void clientThatGoesAwayWhileItWaits_givesUpItsPlace(boolean resets) {
    String path = "/v1/semaphore/gone" + resets;
    assertThat(get(path + "/acquire?key=a").status()).isEqualTo(200);
    ByteSocket departed = waiting(path + "/acquire?key=b");
    ByteSocket next = waiting(path + "/acquire?key=c");
    long before = waiting();
    if (resets) {
      departed.reset();
    } else {
      departed.close();
    }
    RunningGateway.awaiting().until(() -> waiting() == before - 1);
    assertThat(get(path + "/release?key=a").status()).isEqualTo(204);
    assertThat(next.answer().text()).isEqualTo("c");
    next.close();
    assertThat(get(path + "/release?key=b").status()).isEqualTo(409);
  }

  @Test
  void twoThousandAtOnce_aThousandPassInEachInterval_noneEarly() throws Exception {
    String path = "/v1/tokenbucket/many/acquire?size=" + SIZE + "&interval=";
    Ticker ticker = Ticker.system();
    ConcurrentLinkedQueue<Long> passed = new ConcurrentLinkedQueue<>();
    List<ByteSocket> wires = new ArrayList<>();
    for (int i = 0; i < 2 * SIZE; i++) {
      wires.add(ByteSocket.to(gateway.port()));
    }
    CountDownLatch all = new CountDownLatch(2 * SIZE);
    long begins = ticker.nanos();
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (ByteSocket byteSocket : wires) {
        byteSocket.send(request("GET", path + 600_000));
        var _ =
            clients.submit(
                () -> {
                  assertThat(byteSocket.answer().status()).isEqualTo(204);
                  passed.add(ticker.nanos());
                  all.countDown();
                  return null;
                });
      }
      RunningGateway.awaiting().until(() -> passed.size() == SIZE && waiting() == SIZE);
      long firstNanos = passed.stream().mapToLong(Long::longValue).min().orElseThrow();
      long shorterNanos = ticker.nanos();
      assertThat(get(path + 2_000 + "&maxwait=0").status()).isEqualTo(408);
      PatientWaits.await(all);
      // the bucket was created between the first request and the first answer
      long edges = (shorterNanos - firstNanos) / (2_000 * MILLI) + 1;
      long earliest = begins + edges * 2_000 * MILLI;
      assertThat(passed.stream().filter(at -> at >= earliest).count()).isEqualTo(SIZE);
    } finally {
      wires.forEach(ByteSocket::close);
    }
    assertThat(get("/v1/tokenbucket/many/stats").text()).contains("\"acquired\":2000,");
  }
}
