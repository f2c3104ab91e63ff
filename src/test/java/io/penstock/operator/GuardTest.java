package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class GuardTest {
  private static final int PASSED = 0;

  private static Guard guard(@Nullable String address, @Nullable String token) throws Exception {
    return new Guard(address == null ? null : InetAddress.getByName(address), address, token);
  }

  /** Returns the status it refuses with, or {@link #PASSED}. */
  private static int status(Guard guard, String path, String... headers) {
    MockServerHttpRequest.BaseBuilder<?> request = MockServerHttpRequest.get(path);
    for (int at = 0; at < headers.length; at += 2) {
      request.header(headers[at], headers[at + 1]);
    }
    MockServerHttpResponse response = new MockServerHttpResponse();
    AtomicBoolean passed = new AtomicBoolean();
    HttpHandler guarded = (given, answer) -> Mono.fromRunnable(() -> passed.set(true));
    StepVerifier.create(guard.apply(guarded).handle(request.build(), response)).verifyComplete();
    HttpStatusCode status = response.getStatusCode();
    assertThat(passed.get()).isEqualTo(status == null);
    return status == null ? PASSED : status.value();
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:8081, 0",
    "LocalHost, 0",
    "[::1], 0",
    "[::1]:8081, 0",
    "127.0.0.2:1, 0",
    "127.0.0.3, 421",
    "rebound.example:8081, 421",
    "localhost.rebound.example, 421",
    "'127.0.0.1, rebound.example', 421",
    "127.0.0.1:8081:80, 421",
    "'', 421"
  })
  void hostOfALoopbackPort_isOneOfItsNames(String host, int status) throws Exception {
    assertThat(status(guard("127.0.0.2", null), "/endpoints", "Host", host)).isEqualTo(status);
  }

  @Test
  void noHostOrTwo_isRefused() throws Exception {
    Guard guard = guard("127.0.0.1", null);
    assertThat(status(guard, "/endpoints")).isEqualTo(421);
    assertThat(status(guard, "/endpoints", "Host", "localhost", "Host", "localhost"))
        .isEqualTo(421);
  }

  @ParameterizedTest
  @CsvSource({
    "http://localhost:8081, 0",
    "https://LOCALHOST:8081, 0",
    "http://localhost, 403",
    "http://rebound.example, 403",
    "'null', 403"
  })
  void originOfABrowser_isThePageItself(String origin, int status) throws Exception {
    Guard guard = guard("127.0.0.1", null);
    assertThat(status(guard, "/reload", "Host", "localhost:8081", "Origin", origin))
        .isEqualTo(status);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/endpoints",
        "/actuator/prometheus",
        "/actuator",
        "/actuator/health/",
        "/actuator/health/../prometheus",
        "/actuator/health/%2e%2e/prometheus",
        "/actuator/healthy"
      })
  void allButHealth_needsTheToken(String path) throws Exception {
    Guard guard = guard(null, "secret");
    assertThat(status(guard, path)).isEqualTo(401);
    assertThat(status(guard, path, "Authorization", "Bearer secret")).isEqualTo(PASSED);
    assertThat(status(guard, path, "Authorization", "BEARER  secret ")).isEqualTo(PASSED);
    for (String wrong :
        new String[] {"Bearer", "Bearer ", "Bearer secre", "Basic secret", "secret"}) {
      assertThat(status(guard, path, "Authorization", wrong)).as(wrong).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/actuator/health", "/actuator/health/liveness"})
  void health_isForEveryone(String path) throws Exception {
    assertThat(status(guard(null, "secret"), path)).isEqualTo(PASSED);
    assertThat(status(guard("127.0.0.1", "secret"), path, "Host", "localhost")).isEqualTo(PASSED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t"})
  void blankToken_isNone_soNobodyHasItElsewhere(String blank) throws Exception {
    Guard elsewhere = guard(null, blank);
    assertThat(status(elsewhere, "/endpoints")).isEqualTo(401);
    assertThat(status(elsewhere, "/endpoints", "Authorization", "Bearer " + blank)).isEqualTo(401);
    assertThat(status(guard("127.0.0.1", blank), "/endpoints", "Host", "localhost"))
        .isEqualTo(PASSED);
  }
}
