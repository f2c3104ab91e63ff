package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.MariaDb;
import io.penstock.fake.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Starts gateways where instances or regions share data in this format, and in another one. */
@Timeout(180)
class SharedFormatIT {
  private static final RedisServer REDIS = RedisServer.shared();

  @TempDir private Path directory;

  private final String namespace = "format-" + UUID.randomUUID();

  private GatewayServer.Start start(String... more) throws IOException {
    Path routes = directory.resolve("routes.yaml");
    Files.writeString(routes, "endpoints: [{path: /a, algorithm: none}]");
    String[] all =
        Stream.concat(Stream.of("--server.port=0", "--management.server.port=-1"), Stream.of(more))
            .toArray(String[]::new);
    return GatewayServer.start(Map.of(), routes, all);
  }

  private static void assertServes(GatewayServer.Start start) {
    assertThat(start).isInstanceOf(GatewayServer.Started.class);
    ((GatewayServer.Started) start).context().close();
  }

  private static void assertRefused(GatewayServer.Start start, String why) {
    assertThat(start)
        .isInstanceOfSatisfying(
            GatewayServer.Unusable.class, unusable -> assertThat(unusable.why()).isEqualTo(why));
  }

  @Test
  void redis_keepsTheFormat_andAnotherOneIsRefused() throws IOException {
    for (String url : List.of("penstock.redis.url", "penstock.coordination.redis.url")) {
      String key = namespace + url + ":format";
      String[] arguments = {
        "--" + url + "=" + REDIS.url(),
        "--penstock.redis.namespace=" + namespace + url,
        "--penstock.coordination.enabled=true"
      };
      assertServes(start(arguments));
      assertThat(REDIS.command("HGET", key, "version")).isEqualTo("2");
      assertServes(start(arguments));
      REDIS.command("HSET", key, "version", "1");
      assertRefused(
          start(arguments),
          "what instances share in namespace "
              + namespace
              + url
              + " of Redis has format 1, but this version of Penstock reads format 2: use another"
              + " namespace, or the version that wrote it");
      assertThat(REDIS.command("HGET", key, "version")).isEqualTo("1");
    }
  }

  @Test
  void tablesOfRegions_inAnotherFormatAreRefused() throws IOException {
    String database = MariaDb.database();
    String history = database + ".penstock_region_history";
    MariaDb.run(
        "CREATE TABLE " + history + " (installed_rank INT, version VARCHAR(50), success BOOL)");
    MariaDb.run("INSERT INTO " + history + " VALUES (0, '0', TRUE), (1, '1', TRUE)");
    String[] arguments = {
      "--penstock.region.name=here",
      "--penstock.database.migrate=false",
      "--penstock.database.url=" + MariaDb.url(database, MariaDb.port())
    };
    assertServes(start(arguments));
    MariaDb.run("INSERT INTO " + history + " VALUES (2, '2', TRUE)");
    assertRefused(
        start(arguments),
        "what regions share in 127.0.0.1:%d/%s has format 2, but this version of Penstock reads"
                .formatted(MariaDb.port(), database)
            + " format 1: use another database, or the version that wrote it");
  }
}
