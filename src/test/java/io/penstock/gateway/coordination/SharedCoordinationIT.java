package io.penstock.gateway.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.GatewayFleet;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.TaggedTests;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests objects that gateways in processes of their own share through a real Redis. */
@Order(2) // takes long
@Tag(TaggedTests.FULL)
class SharedCoordinationIT {
  private static final int MEMBERS = 3;

  @TempDir private Path directory;

  private GatewayFleet fleet(RedisServer redis, int size) throws Exception {
    GatewayFleet gatewayFleet =
        new GatewayFleet(
            directory,
            size,
            "endpoints: [{path: /a}]",
            Duration.ofMinutes(1),
            "--penstock.redis.url=" + redis.url(),
            "--penstock.coordination.enabled=true");
    for (int i = 0; i < size; i++) {
      int port = gatewayFleet.port(i);
      until(() -> get(port, "/.well-known/ready").status() == 200);
    }
    return gatewayFleet;
  }

  private static void until(BooleanSupplier condition) {
    PatientWaits.await().pollInterval(Duration.ofMillis(20)).until(condition::getAsBoolean);
  }

  private static ByteSocket sent(int port, String target) {
    return ByteSocket.to(port)
        .send("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".formatted(target));
  }

  private static HttpMessage get(int port, String target) {
    try (ByteSocket byteSocket = sent(port, target)) {
      return byteSocket.answer();
    }
  }

  /** Returns how many calls wait at an object in Redis. */
  private static long waiting(RedisServer redis, String object) {
    String key = "default:coordination:{" + object + "}:w";
    return Long.parseLong(redis.command("ZCARD", key).substring(1));
  }

  private static ByteSocket waits(RedisServer redis, int port, String object, String target) {
    long before = waiting(redis, object);
    ByteSocket byteSocket = sent(port, target);
    until(() -> waiting(redis, object) == before + 1);
    return byteSocket;
  }

  @Test
  void objectsOfThreeGateways_areOne() throws Exception {
    try (RedisServer redis = RedisServer.started();
        GatewayFleet gatewayFleet = fleet(redis, MEMBERS)) {
      placesAreGivenInOrder(redis, gatewayFleet);
      whoGoesAway_givesUpHisPlace(redis, gatewayFleet);
      othersAreWoken(redis, gatewayFleet);
    }
  }

  private static void placesAreGivenInOrder(RedisServer redis, GatewayFleet gatewayFleet) {
    String path = "/v1/semaphore/s/acquire?key=";
    assertThat(get(gatewayFleet.port(0), path + "first").text()).isEqualTo("first");
    List<ByteSocket> line = new ArrayList<>();
    for (int i = 0; i < 2 * MEMBERS; i++) {
      line.add(waits(redis, gatewayFleet.port((i + 1) % MEMBERS), "semaphore:s", path + "k" + i));
    }
    String last = "first";
    for (int i = 0; i < line.size(); i++) {
      String release = "/v1/semaphore/s/release?key=" + last;
      assertThat(get(gatewayFleet.port(i % MEMBERS), release).status()).isEqualTo(204);
      last = line.get(i).answer().text();
      assertThat(last).isEqualTo("k" + i);
      assertThat(waiting(redis, "semaphore:s")).isEqualTo(line.size() - i - 1);
    }
    ByteSocket next = waits(redis, gatewayFleet.port(0), "semaphore:s", path + "next");
    assertThat(get(gatewayFleet.port(1), path + "other&size=3").text()).isEqualTo("other");
    assertThat(next.answer().text()).as("another size counts at once").isEqualTo("next");
    assertThat(get(gatewayFleet.port(2), "/v1/semaphore/s/stats").text())
        .contains("\"acquired\":9,", "\"released\":6,", "\"max_ever_held\":3");
    line.forEach(ByteSocket::close);
    next.close();
  }

  private static void whoGoesAway_givesUpHisPlace(RedisServer redis, GatewayFleet gatewayFleet) {
    String path = "/v1/semaphore/gone/acquire?key=";
    assertThat(get(gatewayFleet.port(0), path + "a").status()).isEqualTo(200);
    ByteSocket departed = waits(redis, gatewayFleet.port(1), "semaphore:gone", path + "b");
    ByteSocket next = waits(redis, gatewayFleet.port(2), "semaphore:gone", path + "c");
    ByteSocket late = sent(gatewayFleet.port(0), path + "late&maxwait=300");
    departed.reset();
    assertThat(late.answer().status()).isEqualTo(408);
    until(() -> waiting(redis, "semaphore:gone") == 1);
    assertThat(get(gatewayFleet.port(0), "/v1/semaphore/gone/release?key=a").status())
        .isEqualTo(204);
    assertThat(next.answer().text()).isEqualTo("c");
    assertThat(get(gatewayFleet.port(0), "/v1/semaphore/gone/release?key=b").status())
        .isEqualTo(409);
    late.close();
    next.close();
  }

  private static void othersAreWoken(RedisServer redis, GatewayFleet gatewayFleet) {
    ByteSocket event = waits(redis, gatewayFleet.port(0), "event:e", "/v1/event/e/wait");
    assertThat(get(gatewayFleet.port(1), "/v1/event/e/send?message=on%0Atwo").status())
        .isEqualTo(204);
    assertThat(event.answer().text()).isEqualTo("on\ntwo");
    assertThat(get(gatewayFleet.port(2), "/v1/event/e/wait").text()).isEqualTo("on\ntwo");

    ByteSocket dog = waits(redis, gatewayFleet.port(0), "watchdog:w", "/v1/watchdog/w/wait");
    assertThat(get(gatewayFleet.port(1), "/v1/watchdog/w/kick?expires=300").status())
        .isEqualTo(204);
    assertThat(dog.answer().status()).isEqualTo(204);

    String token = "/v1/tokenbucket/t/acquire?interval=";
    assertThat(get(gatewayFleet.port(0), token + 600_000).status()).isEqualTo(204);
    ByteSocket bucket = waits(redis, gatewayFleet.port(0), "tokenbucket:t", token + 600_000);
    assertThat(get(gatewayFleet.port(1), token + "400&maxwait=0").status()).isEqualTo(408);
    assertThat(bucket.answer().status()).isEqualTo(204);

    ByteSocket barrier =
        waits(redis, gatewayFleet.port(0), "barrier:b", "/v1/barrier/b/wait?size=2");
    assertThat(get(gatewayFleet.port(1), "/v1/barrier/b/wait?size=2").status()).isEqualTo(204);
    assertThat(barrier.answer().status()).isEqualTo(204);

    assertThat(get(gatewayFleet.port(0), "/v1/counter/c/count?amount=5").text()).isEqualTo("5");
    assertThat(get(gatewayFleet.port(1), "/v1/counter/c/count").text()).isEqualTo("6");

    ByteSocket deleted = waits(redis, gatewayFleet.port(0), "event:d", "/v1/event/d/wait");
    try (ByteSocket delete = ByteSocket.to(gatewayFleet.port(1))) {
      delete.send("DELETE /v1/event/d HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      assertThat(delete.answer().status()).isEqualTo(204);
    }
    assertThat(deleted.answer().status()).isEqualTo(409);
    List.of(event, dog, bucket, barrier, deleted).forEach(ByteSocket::close);
  }

  @Test
  void gatewayThatDies_losesItsPlaces_butNotItsHolds() throws Exception {
    try (RedisServer redis = RedisServer.started();
        GatewayFleet gatewayFleet = fleet(redis, MEMBERS)) {
      String path = "/v1/semaphore/s/acquire?key=";
      assertThat(get(gatewayFleet.port(0), path + "held&expires=0").status()).isEqualTo(200);
      ByteSocket first = waits(redis, gatewayFleet.port(0), "semaphore:s", path + "dead");
      ByteSocket next = waits(redis, gatewayFleet.port(1), "semaphore:s", path + "lives");
      ByteSocket there =
          waits(redis, gatewayFleet.port(0), "barrier:b", "/v1/barrier/b/wait?size=3");
      ByteSocket here =
          waits(redis, gatewayFleet.port(1), "barrier:b", "/v1/barrier/b/wait?size=3");
      gatewayFleet.kill(0);
      until(() -> waiting(redis, "semaphore:s") == 1 && waiting(redis, "barrier:b") == 1);
      assertThat(get(gatewayFleet.port(2), "/v1/semaphore/s/stats").text())
          .contains("\"released\":0");
      assertThat(get(gatewayFleet.port(2), "/v1/semaphore/s/release?key=held").status())
          .isEqualTo(204);
      assertThat(next.answer().text()).isEqualTo("lives");
      ByteSocket second =
          waits(redis, gatewayFleet.port(2), "barrier:b", "/v1/barrier/b/wait?size=3");
      assertThat(get(gatewayFleet.port(1), "/v1/barrier/b/wait?size=3").status()).isEqualTo(204);
      assertThat(here.answer().status()).isEqualTo(204);
      assertThat(second.answer().status()).isEqualTo(204);
      List.of(first, next, there, here, second).forEach(ByteSocket::close);
    }
  }

  @Test
  void redisIsKilled_whoWaitsGets503_andNothingIsGrantedTwice() throws Exception {
    try (RedisServer redis = RedisServer.started();
        GatewayFleet gatewayFleet = fleet(redis, 2)) {
      String place = "/v1/semaphore/s/acquire?expires=120000&key=";
      String token = "/v1/tokenbucket/t/acquire?size=2&interval=120000";
      assertThat(get(gatewayFleet.port(0), place + "held").status()).isEqualTo(200);
      assertThat(get(gatewayFleet.port(0), token).status()).isEqualTo(204);
      assertThat(get(gatewayFleet.port(1), token).status()).isEqualTo(204);
      List<ByteSocket> waiting = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        waiting.add(sent(gatewayFleet.port(i % 2), i % 4 < 2 ? place + "k" + i : token));
      }
      until(() -> waiting(redis, "semaphore:s") + waiting(redis, "tokenbucket:t") == 100);
      redis.kill();
      for (ByteSocket byteSocket : waiting) {
        HttpMessage answer = byteSocket.answer();
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.header("retry-after")).isEqualTo("1");
        byteSocket.close();
      }
      HttpMessage ready = get(gatewayFleet.port(0), "/.well-known/ready");
      assertThat(ready.status()).isEqualTo(503);
      assertThat(ready.header("retry-after")).isEqualTo("1");
      assertThat(get(gatewayFleet.port(1), place + "late").status()).isEqualTo(503);
      redis.start();
      for (int i = 0; i < 2; i++) {
        int port = gatewayFleet.port(i);
        until(() -> get(port, "/.well-known/ready").status() == 200);
        assertThat(get(port, place + "another&maxwait=0").status()).isEqualTo(408);
        assertThat(get(port, token + "&maxwait=0").status()).isEqualTo(408);
      }
      String anew = "/v1/semaphore/new/acquire?expires=1&maxwait=10000";
      assertThat(get(gatewayFleet.port(0), anew).status()).isEqualTo(200);
      assertThat(get(gatewayFleet.port(1), "/v1/counter/c/count").text()).isEqualTo("1");
    }
  }

  @Test
  void redisThatIsNotThere_isSaidBySaying503() {
    try (RunningGateway gateway =
        RunningGateway.start(
            "endpoints: [{path: /a}]",
            "--penstock.redis.url=redis://127.0.0.1:" + RunningGateway.freePort(),
            "--penstock.coordination.enabled=true")) {
      for (String path : List.of("/.well-known/ready", "/v1/event/e/wait")) {
        HttpMessage answer = get(gateway.port(), path);
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.header("retry-after")).isEqualTo("1");
        assertThat(answer.text()).contains("Redis").hasLineCount(1);
      }
    }
  }
}
