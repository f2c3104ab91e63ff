package io.penstock.redis;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.LogCapture;
import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import io.penstock.suite.TaggedTests;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a gateway while its Redis answers, but with errors: what is logged, counted and done then.
 */
@Tag(TaggedTests.READS_LOG)
@Isolated("it reads what is logged")
class SickRedisIT {
  private static final String ROUTES =
      """
      endpoints:
        - {path: /exact, algorithm: token_window, tokens_per_window: 100000, window_seconds: 10}
        - path: /eventual
          algorithm: token_window
          tokens_per_window: 100000
          window_seconds: 10
          sharing: eventual
        - path: /other
          algorithm: token_window
          tokens_per_window: 100000
          window_seconds: 10
        - path: /foreign
          algorithm: token_window
          tokens_per_window: 100000
          window_seconds: 10
          max_wait: 1
      """;

  /** A way to disturb Redis, and the command that undoes it. */
  enum Hurt {
    READ_ONLY("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"),
    ACCESS("ACL SETUSER app -evalsha -eval", "ACL SETUSER app +evalsha +eval"),
    PASSWORD("ACL SETUSER app resetpass >other;CLIENT KILL USER app", "ACL SETUSER app >secret"),
    VALUE("SET ns:instances:0 foreign", "DEL ns:instances:0");

    private final String begins;
    private final String ends;

    Hurt(String begins, String ends) {
      this.begins = begins;
      this.ends = ends;
    }

    void begin() {
      Stream.of(begins.split(";")).forEach(SickRedisIT::command);
    }

    void end() {
      Stream.of(ends.split(";")).forEach(SickRedisIT::command);
    }

    String kind() {
      return this == PASSWORD ? "access" : name().toLowerCase(Locale.ROOT);
    }
  }

  @TempDir private static Path directory;

  private static RedisServer redis;
  private static StartedGateway gateway;

  @BeforeAll
  static void start() {
    redis = RedisServer.started("user app on >secret ~ns:* +@all");
    gateway =
        StartedGateway.start(
            directory,
            ROUTES,
            "--penstock.redis.url=redis://app:secret@127.0.0.1:" + redis.port(),
            "--penstock.redis.namespace=ns",
            "--penstock.redis.lease=1s",
            "--penstock.redis.on-outage=refuse");
  }

  @AfterAll
  static void stop() {
    gateway.close();
    redis.close();
  }

  private static String command(String words) {
    return redis.command(words.split(" "));
  }

  private static int ask(String path) {
    return Integer.parseInt(gateway.gateway("GET " + path).split(" ", 3)[1]);
  }

  private static void awaitAnswer(int status, String... paths) {
    await()
        .pollInterval(Duration.ofMillis(50))
        .untilAsserted(
            () ->
                assertThat(Stream.of(paths).map(SickRedisIT::ask))
                    .allMatch(each -> each == status));
  }

  /** Returns how often a kind of trouble was counted when shares, or counts, were exchanged. */
  private static double counted(String what, String kind) {
    return gateway
        .operator("GET /actuator/prometheus")
        .lines()
        .filter(line -> line.startsWith("penstock_sync_errors_total{"))
        .filter(line -> line.contains("what=\"" + what + "\""))
        .filter(line -> line.contains("kind=\"" + kind + "\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  private static List<String> troubles(LogCapture logCapture, String begin) {
    return logCapture.lines().stream()
        .filter(line -> line.startsWith("WARN io.penstock.redis " + begin))
        .toList();
  }

  @ParameterizedTest
  @EnumSource(Hurt.class)
  void sickRedis_isSaidOnceAndCounted_andLimitsDoWhatIsConfigured_untilItIsWell(Hurt hurt) {
    awaitAnswer(200, "/exact", "/eventual");
    double shares = counted("shares", hurt.kind());
    try (LogCapture logCapture = LogCapture.listen()) {
      hurt.begin();
      awaitAnswer(503, "/exact", "/eventual");
      assertThat(gateway.gateway("GET /exact")).contains("limit_unavailable");
      assertThat(counted("shares", hurt.kind())).isGreaterThan(shares);
      hurt.end();
      awaitAnswer(200, "/exact", "/eventual");
      assertThat(troubles(logCapture, "shared limits: ")).doesNotHaveDuplicates().isNotEmpty();
      assertThat(logCapture.lines()).noneMatch(line -> line.contains("secret"));
      assertThat(logCapture.traces()).isEmpty();
    }
  }

  @Test
  void redisWithoutMemory_isNoticedByNobody() {
    awaitAnswer(200, "/exact", "/eventual");
    try (LogCapture logCapture = LogCapture.listen()) {
      command("CONFIG SET maxmemory 1");
      assertThat(command("SET foreign value")).startsWith("-OOM");
      long rounds = redis.calls("evalsha");
      await()
          .pollInterval(Duration.ofMillis(50))
          .untilAsserted(
              () -> {
                assertThat(ask("/exact")).isEqualTo(200);
                assertThat(ask("/eventual")).isEqualTo(200);
                assertThat(ask("/other")).isEqualTo(200);
                assertThat(redis.calls("evalsha")).isGreaterThan(rounds + 60); // leases are over
              });
      assertThat(troubles(logCapture, "")).isEmpty();
    } finally {
      command("CONFIG SET maxmemory 0");
    }
  }

  @Test
  void forgottenScripts_areNoticedByNobody() {
    awaitAnswer(200, "/exact", "/eventual");
    try (LogCapture logCapture = LogCapture.listen()) {
      command("SCRIPT FLUSH");
      long before = redis.calls("eval");
      await().until(() -> redis.calls("eval") > before + 1);
      assertThat(ask("/exact")).isEqualTo(200);
      assertThat(ask("/eventual")).isEqualTo(200);
      assertThat(troubles(logCapture, "")).isEmpty();
    }
  }

  @Test
  void foreignValueOfOneLimit_isSaidOnce_andOthersGoOn() {
    awaitAnswer(200, "/exact", "/eventual");
    try (LogCapture logCapture = LogCapture.listen()) {
      String key = "ns:limit:endpoint:%2Fforeign#tokens:10000";
      command("SET " + key + " foreign");
      await()
          .pollInterval(Duration.ofMillis(50))
          .untilAsserted(
              () -> {
                assertThat(ask("/foreign")).isNotEqualTo(200);
                assertThat(ask("/eventual")).isEqualTo(200);
                assertThat(troubles(logCapture, "shared limits: limit ")).isNotEmpty();
              });
      assertThat(ask("/exact")).isEqualTo(200);
      assertThat(troubles(logCapture, "shared limits: limit ")).hasSize(1);
      command("DEL " + key);
      awaitAnswer(200, "/foreign", "/exact", "/eventual");
      assertThat(logCapture.traces()).isEmpty();
    }
  }
}
