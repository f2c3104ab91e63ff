package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.GatewayServer;
import io.penstock.fake.LogCapture;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.suite.TaggedTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Tests gateways that share limits but keep keys where the others do not see them. */
@Tag(TaggedTests.READS_LOG)
@Isolated("it reads what is logged")
class KeysClaimStartIT {
  private static final String ROUTES = "endpoints: [{path: /a, algorithm: none}]";

  @TempDir private Path directory;

  private final String namespace = "claim-" + UUID.randomUUID();

  private Path file(String name) {
    return directory.resolve(name).resolve("keys.db");
  }

  private GatewayServer.Start start(String name, RedisServer redis, String... more)
      throws IOException {
    Path routes = Files.createDirectories(directory.resolve(name)).resolve("routes.yaml");
    Files.writeString(routes, ROUTES);
    String[] all = {
      "--server.port=0",
      "--management.server.port=-1",
      "--penstock.redis.url=" + redis.url(),
      "--penstock.redis.namespace=" + namespace,
      more.length == 0 ? "--penstock.keys.store=file:" + file(name) : more[0]
    };
    return GatewayServer.start(Map.of(), routes, all);
  }

  private static void close(GatewayServer.Start start) {
    assertThat(start).isInstanceOf(GatewayServer.Started.class);
    ((GatewayServer.Started) start).context().close();
  }

  private String claim(RedisServer redis, String... words) {
    String[] all = new String[words.length + 1];
    all[0] = words[0];
    all[1] = namespace + ":keys-store";
    System.arraycopy(words, 1, all, 2, words.length - 1);
    return redis.command(all);
  }

  @Test
  void secondWithAFileOfItsOwn_doesNotStartUntilTheFirstHasLeft() throws Exception {
    RedisServer redis = RedisServer.shared();
    GatewayServer.Start first = start("first", redis);
    try {
      assertThat(start("second", redis))
          .isInstanceOfSatisfying(
              GatewayServer.Unusable.class,
              unusable ->
                  assertThat(unusable.why())
                      .contains("file:" + file("second"), ProcessHandle.current().pid() + "@")
                      .contains("penstock.keys.store=sql", "route files")
                      .doesNotContain("\n"));
      assertThat(file("second")).as("a start that fails leaves nothing behind").doesNotExist();
      close(start("files", redis, "--penstock.operator.token=t"));
    } finally {
      close(first);
    }
    assertThat(claim(redis, "EXISTS")).as("the claim of one that left").isEqualTo(":0");
    close(start("second", redis));
  }

  @Test
  void redisAwayAtTheStart_isWarnedOf_andTheOtherIsSeenOnceItIsBack() throws Exception {
    try (RedisServer redis = RedisServer.started()) {
      redis.kill();
      GatewayServer.Start first = start("first", redis);
      GatewayServer.Start second = start("second", redis);
      try (LogCapture logCapture = LogCapture.listen()) {
        redis.start();
        PatientWaits.await().untilAsserted(() -> assertThat(errors(logCapture)).isEqualTo(1));
        awaitRenewals(redis, 2);
        assertThat(errors(logCapture)).as("said once, however often it is seen").isEqualTo(1);
      } finally {
        close(first);
        close(second);
      }
    }
  }

  private void awaitRenewals(RedisServer redis, int count) {
    AtomicLong before = new AtomicLong();
    AtomicInteger renewed = new AtomicInteger();
    PatientWaits.await()
        .until(
            () -> {
              long left = Long.parseLong(claim(redis, "PTTL").substring(1));
              boolean more = left > before.getAndSet(left);
              return (more ? renewed.incrementAndGet() : renewed.get()) > count;
            });
  }

  private static long errors(LogCapture logCapture) {
    return logCapture.lines().stream()
        .filter(line -> line.startsWith("ERROR") && line.contains("which keeps keys of its own"))
        .count();
  }
}
