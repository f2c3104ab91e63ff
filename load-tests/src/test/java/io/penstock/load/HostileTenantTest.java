package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class HostileTenantTest {
  private static final int RATE = 50;
  private static final int MILLIS = 300;

  private HttpServer server;
  private ExecutorService threads;

  @BeforeEach
  void start() throws IOException {
    threads = Executors.newVirtualThreadPerTaskExecutor();
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", HostileTenantTest::answer);
    server.start();
  }

  private static void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(200, -1);
    }
  }

  @AfterEach
  void stop() {
    server.stop(0);
    threads.shutdownNow();
  }

  private HostileTenant tenant() {
    return new HostileTenant(server.getAddress().getPort(), 2);
  }

  @ParameterizedTest
  @EnumSource
  void everyAttempt_hasOneOutcome_andThereAreNoMoreThanTheRateAllows(Attack attack)
      throws InterruptedException {
    HostileTenant.Stretch came = tenant().run(attack, false, MILLIS, RATE);
    assertThat(came.attempts()).isBetween(1L, RATE * MILLIS / 1_000L + 1);
    assertThat(came.outcomes().values().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(came.attempts());
  }

  @ParameterizedTest
  @EnumSource
  void harmlessRequests_areAnswered_insteadOfAnyAttack(Attack attack) throws InterruptedException {
    HostileTenant.Stretch came = tenant().run(attack, true, MILLIS, RATE);
    assertThat(came.outcomes()).containsOnlyKeys("200");
  }

  @ParameterizedTest
  @EnumSource
  void attack_isAskedForByTheNameThatTablesShow_andHasAKeyOfItsOwn(Attack attack) {
    assertThat(Attack.of(attack.shown())).isSameAs(attack);
    assertThat(Attack.named(attack.shown())).containsExactly(attack);
    assertThat(TwoTenants.routes(1)).contains("sha256: " + Penstock.sha256(attack.secret()));
  }

  @Test
  void noNames_meanAllAttacks() {
    assertThat(Attack.named("")).containsExactly(Attack.values());
    assertThat(Attack.named("wrong-keys, questions"))
        .containsExactly(Attack.WRONG_KEYS, Attack.QUESTIONS);
  }

  @Test
  void outcomes_areShown_theMostFrequentFirst() {
    assertThat(Outcomes.shown(Map.of("closed", 2L, "400", 1_200L)))
        .isEqualTo("400 ×1,200, closed ×2");
  }

  @Test
  void bodies_areAsLongAsTheirHeadsSay_exceptThoseThatAreToBeBroken() {
    for (long number = 0; number < 12; number++) {
      for (byte[] request :
          List.of(
              HostileRequests.large("s", number),
              HostileRequests.repeated("s", number),
              HostileRequests.invalid("s", number),
              HostileRequests.above("s", number),
              HostileRequests.asked("s", number),
              HostileRequests.largeAndSlow("s"),
              HostileRequests.queued("s"),
              HostileRequests.naming("s", number),
              HostileRequests.searching("s"),
              HostileRequests.continuing("s", number),
              HostileRequests.beginning("s", number),
              HostileRequests.harmless(HostileRequests.FAIR, "s"))) {
        String text = new String(request, StandardCharsets.ISO_8859_1);
        int body = text.indexOf("\r\n\r\n") + 4;
        assertThat(text).contains("Content-Length: " + (request.length - body) + "\r\n");
      }
    }
    assertThat(HostileRequests.large("s", 7).length).isGreaterThan(8_000_000);
  }

  @Test
  void bytesThatAreNoUtf8_areThere() {
    for (long number = 0; number < 2; number++) {
      byte[] request = HostileRequests.invalid("s", number);
      String read = new String(request, StandardCharsets.UTF_8);
      assertThat(Arrays.equals(read.getBytes(StandardCharsets.UTF_8), request)).isFalse();
    }
  }
}
