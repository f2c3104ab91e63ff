package io.penstock.gateway.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisProgram;
import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import io.penstock.suite.Hostile;
import io.penstock.suite.TaggedTests;
import io.penstock.time.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a gateway whose Redis is full, or which clients try to fill through the coordination API.
 */
@Tag(TaggedTests.FULL)
class FullRedisIT {
  private static final String ROUTES =
      """
      keys:
        - {name: hostile, sha256: HOSTILE}
        - {name: other, sha256: OTHER}
      endpoints:
        - {path: /exact, algorithm: token_window, tokens_per_window: 1000000, window_seconds: 10}
      """
          .replace("HOSTILE", KeySecrets.sha256("sk-hostile"))
          .replace("OTHER", KeySecrets.sha256("sk-other"));

  @TempDir private Path directory;

  private StartedGateway gateway(RedisServer redis, String... more) {
    String[] all = new String[more.length + 3];
    System.arraycopy(more, 0, all, 0, more.length);
    all[more.length] = "--penstock.redis.url=" + redis.url();
    all[more.length + 1] = "--penstock.coordination.enabled=true";
    all[more.length + 2] = "--penstock.redis.on-outage=refuse";
    return StartedGateway.start(directory, ROUTES, all);
  }

  private static RedisServer redis() {
    return RedisServer.started("maxmemory 48mb", "maxmemory-policy noeviction");
  }

  private static String ask(StartedGateway gateway, String key, String request) {
    return gateway.gateway(request, "Authorization: Bearer sk-" + key);
  }

  private static int status(String answer) {
    return Integer.parseInt(answer.split(" ", 3)[1]);
  }

  private static void until(String what, BooleanSupplier condition) {
    PatientWaits.await(what).pollInterval(Duration.ofMillis(20)).until(condition::getAsBoolean);
  }

  private static void awaitReady(StartedGateway gateway) {
    until(
        "an API that is ready",
        () -> status(ask(gateway, "other", "GET /.well-known/ready")) == 200);
    until("a limit", () -> status(ask(gateway, "other", "GET /exact")) == 200);
  }

  /** Returns how many bytes Redis has allocated. */
  private static long usedBytes(RedisServer redis) {
    String line =
        redis
            .command("INFO", "memory")
            .lines()
            .filter(each -> each.startsWith("used_memory:"))
            .findFirst()
            .orElseThrow();
    return Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
  }

  private static void fill(RedisServer redis) {
    redis.command("CONFIG", "SET", "maxmemory", Long.toString(usedBytes(redis) / 2));
    assertThat(redis.command("SET", "more", "x".repeat(1_000))).startsWith("-OOM");
  }

  @ParameterizedTest
  @EnumSource
  void fullRedis_stopsNoExactLimit_andNoObjectThatExists(RedisProgram program) {
    program.assumeInstalled();
    try (RedisServer redis = program.started("maxmemory-policy noeviction");
        StartedGateway gateway = gateway(redis)) {
      awaitReady(gateway);
      assertThat(ask(gateway, "other", "GET /v1/semaphore/s/acquire?key=k&size=2"))
          .startsWith("HTTP/1.1 200");
      assertThat(ask(gateway, "other", "GET /v1/event/e/send?message=m"))
          .startsWith("HTTP/1.1 204");
      fill(redis);
      Ticker ticker = Ticker.system();
      long end = ticker.nanos() + Duration.ofSeconds(8).toNanos();
      while (ticker.nanos() < end) { // longer than a slice and than a membership last
        assertThat(status(ask(gateway, "other", "GET /exact"))).isEqualTo(200);
      }
      assertThat(ask(gateway, "other", "GET /v1/event/e/wait")).endsWith("m");
      assertThat(ask(gateway, "other", "GET /v1/semaphore/s/release?key=k"))
          .startsWith("HTTP/1.1 204");
      assertThat(ask(gateway, "other", "GET /v1/semaphore/s/acquire?key=l"))
          .startsWith("HTTP/1.1 200");
      assertThat(ask(gateway, "other", "GET /v1/counter/new/count"))
          .startsWith("HTTP/1.1 503")
          .contains("Redis is out of memory");
      assertThat(ask(gateway, "other", "DELETE /v1/semaphore/s")).startsWith("HTTP/1.1 204");
      assertThat(ask(gateway, "other", "DELETE /v1/event/e")).startsWith("HTTP/1.1 204");
      redis.command("CONFIG", "SET", "maxmemory", "48mb");
      assertThat(ask(gateway, "other", "GET /v1/counter/new/count")).startsWith("HTTP/1.1 200");
    }
  }

  private static final String SEND = "GET /v1/event/e%d/send?message=" + "m".repeat(8_000);

  /** Part of the answer when Redis, on a busy machine, took too long. */
  private static final String LATE = "Redis does not answer";

  /** Sends events with large messages until one is refused, and returns that answer. */
  private static String sendUntilRefused(StartedGateway gateway, String key) {
    int sent = 0;
    boolean late = false;
    while (sent < 20_000) {
      String answer = ask(gateway, key, SEND.formatted(sent));
      if (answer.contains(LATE)) {
        awaitReady(gateway);
        late = true; // it may be there or not, and is sent again
      } else if (status(answer) == 204 || (late && status(answer) == 409)) {
        sent++;
        late = false;
      } else {
        return answer;
      }
    }
    throw new AssertionError("events are never refused");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void keyThatSendsLargeEvents_hasItsShare_andOthersHaveTheirs() {
    try (RedisServer redis = redis();
        StartedGateway gateway = gateway(redis, "--penstock.coordination.max-bytes=8MB")) {
      awaitReady(gateway);
      long before = usedBytes(redis);
      assertThat(sendUntilRefused(gateway, "hostile"))
          .startsWith("HTTP/1.1 429")
          .contains("x-penstock-reason: queue_full", "penstock.coordination.tenant-share");
      for (int i = 0; i < 2_000; i++) {
        String wait = "GET /v1/event/w" + i + "/wait?maxwait=0";
        assertThat(status(ask(gateway, "hostile", wait))).isIn(408, 429);
      }
      assertThat(usedBytes(redis) - before).isLessThan(4 << 20);
      assertThat(ask(gateway, "other", SEND.formatted(-1))).startsWith("HTTP/1.1 204");
      assertThat(status(ask(gateway, "other", "GET /exact"))).isEqualTo(200);
      assertThat(ask(gateway, "hostile", "DELETE /v1/event/e0")).startsWith("HTTP/1.1 204");
      assertThat(ask(gateway, "hostile", SEND.formatted(0))).startsWith("HTTP/1.1 204");
    }
  }

  @Test
  void redisThatWasFilledByEvents_stopsNoExactLimit_andTheyCanBeDeleted() {
    try (RedisServer redis = redis();
        StartedGateway gateway =
            gateway(
                redis,
                "--penstock.coordination.max-bytes=1GB",
                "--penstock.coordination.tenant-share=1")) {
      awaitReady(gateway);
      assertThat(sendUntilRefused(gateway, "hostile"))
          .startsWith("HTTP/1.1 503")
          .contains("Redis is out of memory");
      assertThat(status(ask(gateway, "other", "GET /exact"))).isEqualTo(200);
      for (int i = 0; i < 50; i++) {
        assertThat(ask(gateway, "other", "DELETE /v1/event/e" + i)).startsWith("HTTP/1.1 204");
      }
      assertThat(ask(gateway, "other", "GET /v1/counter/c/count")).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void coordinationWithItsOwnRedis_takesNothingFromLimits() {
    try (RedisServer limits = redis();
        RedisServer objects = redis();
        StartedGateway gateway =
            gateway(limits, "--penstock.coordination.redis.url=" + objects.url())) {
      awaitReady(gateway);
      assertThat(ask(gateway, "other", "GET /v1/counter/c/count")).startsWith("HTTP/1.1 200");
      assertThat(objects.command("HGET", "default:coordination:{counter:c}", "value"))
          .isEqualTo("1");
      assertThat(limits.command("EXISTS", "default:coordination:{counter:c}")).isEqualTo(":0");
      assertThat(limits.command("EXISTS", "default:coordination:{all}")).isEqualTo(":0");
      assertThat(objects.command("EXISTS", "default:limit:endpoint:%2Fexact")).isEqualTo(":0");
      objects.kill();
      until(
          "an API that notices",
          () -> status(ask(gateway, "other", "GET /v1/counter/c/count")) == 503);
      assertThat(status(ask(gateway, "other", "GET /exact"))).isEqualTo(200);
      objects.start();
      until(
          "an API that is back",
          () -> status(ask(gateway, "other", "GET /v1/counter/c/count")) == 200);
    }
  }

  @Test
  void coordinationIsShared_alsoIfLimitsAreNot() {
    try (RedisServer objects = redis();
        StartedGateway gateway =
            StartedGateway.start(
                directory,
                ROUTES,
                "--penstock.coordination.enabled=true",
                "--penstock.coordination.redis.url=" + objects.url())) {
      awaitReady(gateway);
      assertThat(ask(gateway, "other", "GET /v1/counter/c/count")).startsWith("HTTP/1.1 200");
      assertThat(objects.command("HGET", "default:coordination:{counter:c}", "value"))
          .isEqualTo("1");
    }
  }
}
