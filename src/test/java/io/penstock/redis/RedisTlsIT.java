package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RedisServer;
import io.penstock.fake.RunningGateway;
import io.penstock.redis.RedisTrouble.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests sharing over TLS, and all faults of certificates. */
class RedisTlsIT {
  private static final RedisTrust OURS = new RedisTrust(file("ca.pem"), null, null);
  private static final RedisTrust WITH_CERTIFICATE =
      new RedisTrust(file("ca.pem"), file("client.pem"), file("client-key.pem"));

  private static String file(String name) {
    return Path.of("src/test/resources/tls/redis", name).toAbsolutePath().toString();
  }

  /** A server with a known encrypted port. */
  private record Secured(RedisServer server, int port) implements AutoCloseable {
    static Secured with(String certificate, String... more) {
      int port = RunningGateway.freePort();
      List<String> lines = new ArrayList<>(List.of("tls-port " + port));
      lines.add("tls-cert-file " + file(certificate));
      lines.add("tls-key-file " + file("server-key.pem"));
      lines.add("tls-ca-cert-file " + file("ca.pem"));
      lines.addAll(List.of(more));
      return new Secured(RedisServer.started(lines.toArray(String[]::new)), port);
    }

    RedisPeer peer(@Nullable RedisTrust trust) {
      return peer("rediss", port, trust);
    }

    RedisPeer peer(String scheme, int at, @Nullable RedisTrust trust) {
      return new RedisPeer(
          "a", RedisAddress.parse(scheme + "://127.0.0.1:" + at, null, null), trust);
    }

    @Override
    public void close() {
      server.close();
    }
  }

  @Test
  void ownAuthority_isTrusted() {
    try (Secured redis = Secured.with("server.pem", "tls-auth-clients no");
        RedisPeer redisPeer = redis.peer(OURS)) {
      long before = redisPeer.well().number();
      redis.server().restart();
      assertThat(redisPeer.well().number()).isGreaterThan(before);
    }
  }

  @Test
  void ownCertificate_isShown() {
    try (Secured redis = Secured.with("server.pem", "tls-auth-clients yes");
        RedisPeer redisPeer = redis.peer(WITH_CERTIFICATE)) {
      assertThat(redisPeer.well().number()).isPositive();
    }
  }

  @Test
  void ownCertificate_thatIsMissing_isSaid() {
    try (Secured redis = Secured.with("server.pem", "tls-auth-clients yes");
        RedisPeer redisPeer = redis.peer(OURS)) {
      assertThat(redisPeer.awaitTrouble(Kind.AWAY))
          .hasMessageContaining("it wants a certificate of this client");
    }
  }

  @Test
  void certificateOfAnotherAuthority_isRefused() {
    try (Secured redis = Secured.with("server.pem", "tls-auth-clients no")) {
      for (RedisTrust trust :
          new RedisTrust[] {null, new RedisTrust(file("other-ca.pem"), null, null)}) {
        try (RedisPeer redisPeer = redis.peer(trust)) {
          assertThat(redisPeer.awaitTrouble(Kind.TLS)).hasMessageContaining("not trusted");
        }
      }
    }
  }

  @Test
  void certificateThatIsOver_isRefused() {
    try (Secured redis = Secured.with("expired.pem", "tls-auth-clients no");
        RedisPeer redisPeer = redis.peer(OURS)) {
      assertThat(redisPeer.awaitTrouble(Kind.TLS)).hasMessageContaining("expired");
    }
  }

  @Test
  void certificateOfAnotherHost_isRefused() {
    try (Secured redis = Secured.with("elsewhere.pem", "tls-auth-clients no");
        RedisPeer redisPeer = redis.peer(OURS)) {
      assertThat(redisPeer.awaitTrouble(Kind.TLS)).hasMessageContaining("127.0.0.1");
    }
  }

  @Test
  void portThatIsNotEncrypted_isRefused() {
    try (Secured redis = Secured.with("server.pem", "tls-auth-clients no");
        RedisPeer redisPeer = redis.peer("rediss", redis.server().port(), OURS)) {
      assertThat(redisPeer.awaitTrouble(Kind.AWAY)).hasMessageContaining("is not encrypted");
    }
  }

  @Test
  void portThatIsEncrypted_isNotReachedInTheClear() {
    try (Secured redis = Secured.with("server.pem", "tls-auth-clients no");
        RedisPeer redisPeer = redis.peer("redis", redis.port(), null)) {
      redisPeer.awaitTrouble(Kind.AWAY);
    }
  }
}
