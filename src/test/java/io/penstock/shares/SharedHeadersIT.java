package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import io.penstock.time.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what a gateway that shares its limits through Redis tells clients about the rest of them.
 */
class SharedHeadersIT {
  /** One key for each possible attempt. */
  private static final List<String> PLENTY =
      List.of(KeySecrets.make(), KeySecrets.make(), KeySecrets.make());

  /** Longest time of a good attempt: a message to Redis is given up after a second. */
  private static final Duration QUICK = Duration.ofMillis(500);

  private static final String LITTLE = KeySecrets.make();
  private static final String TOKENS = KeySecrets.make();
  private static final Pattern DAY = Pattern.compile("\"key-rpd\";r=(\\d+);t=(\\d+)");
  private static final long DAY_SECONDS = 86_400;

  @TempDir private static Path directory;

  private static StartedGateway gateway;

  @BeforeAll
  static void start() {
    gateway =
        StartedGateway.start(
            directory,
            """
            keys:
              - {name: plenty, sha256: %s, rpd: 1000}
              - {name: plenty-2, sha256: %s, rpd: 1000}
              - {name: plenty-3, sha256: %s, rpd: 1000}
              - {name: little, sha256: %s, rpd: 2}
              - {name: tokens, sha256: %s}
            endpoints:
              - {path: /open, algorithm: none}
              - {path: /window, algorithm: token_window, tokens_per_window: 500, window_seconds: 86400}
            """
                .formatted(
                    Stream.concat(PLENTY.stream(), Stream.of(LITTLE, TOKENS))
                        .map(KeySecrets::sha256)
                        .toArray()),
            "--penstock.redis.url=" + RedisServer.shared().url(),
            "--penstock.redis.namespace=headers-" + UUID.randomUUID());
  }

  @AfterAll
  static void stop() {
    if (gateway != null) {
      gateway.close();
    }
  }

  private static String ask(String key, String path) {
    return gateway.gateway("GET " + path, "Authorization: Bearer " + key);
  }

  /** Returns the rest of the day, and after how many seconds all of it is available again. */
  private static List<Long> day(String answer) {
    Matcher day = DAY.matcher(answer);
    assertThat(day.find()).as(answer).isTrue();
    return List.of(Long.parseLong(day.group(1)), Long.parseLong(day.group(2)));
  }

  @Test
  void twoOfAThousandRequestsOfADay_998AreLeft() {
    Ticker ticker = Ticker.system();
    Iterator<String> keys = PLENTY.iterator();
    String key;
    List<Long> first;
    long took;
    do { // again with another key if the machine stood still
      key = keys.next();
      long begin = ticker.nanos();
      first = day(ask(key, "/open"));
      took = ticker.nanos() - begin;
    } while (took > QUICK.toNanos() && keys.hasNext());
    assertThat(first.getFirst()).isEqualTo(999);
    List<Long> second = day(ask(key, "/open"));
    assertThat(second.getFirst()).isEqualTo(998);
    assertThat(second.getLast()).isBetween(DAY_SECONDS - 60, DAY_SECONDS);
    assertThat(ask(key, "/v1/penstock/status")).contains("\"remaining\":998");
  }

  @Test
  void allOfADay_noneIsLeftUntilItEnds() {
    assertThat(day(ask(LITTLE, "/open")).getFirst()).isEqualTo(1);
    List<Long> last = day(ask(LITTLE, "/open"));
    assertThat(last.getFirst()).isZero();
    assertThat(last.getLast()).isBetween(DAY_SECONDS - 60, DAY_SECONDS);
    String refused = ask(LITTLE, "/open");
    assertThat(refused).startsWith("HTTP/1.1 429");
    assertThat(day(refused).getFirst()).isZero();
  }

  @Test
  void permitOfATokenWindow_tellsWhatIsLeftOfIt() {
    assertThat(ask(TOKENS, "/window?tokens=1")).contains("\"tokens_remaining\":499");
    String answer = ask(TOKENS, "/window?tokens=99");
    assertThat(answer).contains("\"tokens_remaining\":400", "\"endpoint\";r=400");
  }
}
