package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.FakeTicker;
import io.penstock.suite.Hostile;
import io.penstock.time.Ticker;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class OperatorGuardTest {
  private static final int PASSED = 0;

  private static OperatorGuard guard(@Nullable String address, @Nullable String token)
      throws Exception {
    return guard(address, token, new FakeTicker());
  }

  private static OperatorGuard guard(
      @Nullable String address, @Nullable String token, Ticker ticker) throws Exception {
    InetAddress bound = address == null ? null : InetAddress.getByName(address);
    return new OperatorGuard(
        bound,
        address,
        token == null ? Map.of() : Map.of("operator", token),
        (who, request, answer) -> {},
        ticker);
  }

  /** Returns the status of the refusal, or {@link #PASSED}. */
  private static int status(OperatorGuard operatorGuard, String path, String... headers) {
    HttpStatusCode status = answer(operatorGuard, path, headers).getStatusCode();
    return status == null ? PASSED : status.value();
  }

  private static MockServerHttpResponse answer(
      OperatorGuard operatorGuard, String path, String... headers) {
    MockServerHttpRequest.BaseBuilder<?> request = MockServerHttpRequest.get(path);
    for (int at = 0; at < headers.length; at += 2) {
      request.header(headers[at], headers[at + 1]);
    }
    MockServerHttpResponse response = new MockServerHttpResponse();
    AtomicBoolean passed = new AtomicBoolean();
    HttpHandler guarded =
        (given, answer) -> Mono.fromRunnable(() -> passed.set(true)).then(answer.setComplete());
    StepVerifier.create(operatorGuard.apply(guarded).handle(request.build(), response))
        .verifyComplete();
    assertThat(passed.get()).isEqualTo(response.getStatusCode() == null);
    return response;
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

  @Hostile(Hostile.By.PAGE)
  @Test
  void noHostOrTwo_isRefused() throws Exception {
    OperatorGuard operatorGuard = guard("127.0.0.1", null);
    assertThat(status(operatorGuard, "/endpoints")).isEqualTo(421);
    assertThat(status(operatorGuard, "/endpoints", "Host", "localhost", "Host", "localhost"))
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
    OperatorGuard operatorGuard = guard("127.0.0.1", null);
    assertThat(status(operatorGuard, "/reload", "Host", "localhost:8081", "Origin", origin))
        .isEqualTo(status);
  }

  @Hostile(Hostile.By.PAGE)
  @ParameterizedTest
  @CsvSource({
    "/reload, cross-site, 403",
    "/events, cross-site, 403",
    "/events, same-site, 403",
    "/actuator/health, cross-site, 403",
    "/reload, nonsense, 403",
    "/events, same-origin, 0",
    "/endpoints, none, 0",
    "/console, cross-site, 0",
    "/console/main.js, same-origin, 0"
  })
  void pageOfAnotherSite_mayAskForTheConsoleOnly_evenIfItSendsNoOrigin(
      String path, String site, int status) throws Exception {
    OperatorGuard operatorGuard = guard("127.0.0.1", null);
    assertThat(status(operatorGuard, path, "Host", "localhost:8081", "Sec-Fetch-Site", site))
        .isEqualTo(status);
  }

  @Hostile(Hostile.By.CLIENT)
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
    OperatorGuard operatorGuard = guard(null, "secret");
    assertThat(status(operatorGuard, path)).isEqualTo(401);
    assertThat(status(operatorGuard, path, "Authorization", "Bearer secret")).isEqualTo(PASSED);
    assertThat(status(operatorGuard, path, "Authorization", "BEARER  secret ")).isEqualTo(PASSED);
    for (String wrong :
        new String[] {"Bearer", "Bearer ", "Bearer secre", "Basic secret", "secret"}) {
      assertThat(status(operatorGuard, path, "Authorization", wrong)).as(wrong).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/actuator/health", "/actuator/health/liveness"})
  void health_isForEveryone(String path) throws Exception {
    assertThat(status(guard(null, "secret"), path)).isEqualTo(PASSED);
    assertThat(status(guard("127.0.0.1", "secret"), path, "Host", "localhost")).isEqualTo(PASSED);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t"})
  void blankToken_isNone_soNobodyHasItElsewhere(String blank) throws Exception {
    OperatorGuard elsewhere = guard(null, blank);
    assertThat(status(elsewhere, "/endpoints")).isEqualTo(401);
    assertThat(status(elsewhere, "/endpoints", "Authorization", "Bearer " + blank)).isEqualTo(401);
    assertThat(status(guard("127.0.0.1", blank), "/endpoints", "Host", "localhost"))
        .isEqualTo(PASSED);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void tenWrongTokens_shutOutFurtherOnes_butNotTheRightOneFromTheSameAddress() throws Exception {
    FakeTicker ticker = new FakeTicker();
    String token = "a-token-of-16-ch"; // the shortest that is too long to be guessed
    OperatorGuard operatorGuard = guard(null, token, ticker);
    String right = "Bearer " + token;
    for (int each = 0; each < FailedTokens.MOST; each++) {
      assertThat(status(operatorGuard, "/endpoints", "Authorization", "Bearer wrong" + each))
          .isEqualTo(401);
    }
    for (int each = 0; each < 3 * FailedTokens.MOST; each++) {
      assertThat(status(operatorGuard, "/endpoints", "Authorization", "Bearer wrong" + each))
          .isEqualTo(429);
      assertThat(status(operatorGuard, "/actuator/prometheus", "Authorization", right))
          .isEqualTo(PASSED);
    }
    ticker.advance(60 * 1_000_000_000L);
    assertThat(status(operatorGuard, "/endpoints", "Authorization", "Bearer wrong")).isEqualTo(401);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void tenWrongTokens_whereTheRightOneCouldBeGuessed_shutItOutToo_butNotHealth() throws Exception {
    FakeTicker ticker = new FakeTicker();
    OperatorGuard operatorGuard = guard(null, "secret", ticker);
    for (int each = 0; each < FailedTokens.MOST; each++) {
      assertThat(status(operatorGuard, "/endpoints", "Authorization", "Bearer wrong" + each))
          .isEqualTo(401);
      assertThat(status(operatorGuard, "/endpoints"))
          .isEqualTo(401); // a request without a token is not a guess
    }
    ticker.advance(20 * 1_000_000_000L);
    MockServerHttpResponse shut =
        answer(operatorGuard, "/endpoints", "Authorization", "Bearer secret");
    assertThat(shut.getStatusCode()).isEqualTo(HttpStatus.TOO_MANY_REQUESTS);
    assertThat(shut.getHeaders().getFirst("Retry-After")).isEqualTo("40");
    assertThat(status(operatorGuard, "/endpoints")).isEqualTo(401);
    assertThat(status(operatorGuard, "/actuator/health", "Authorization", "Bearer x"))
        .isEqualTo(PASSED);
    ticker.advance(40 * 1_000_000_000L);
    assertThat(status(operatorGuard, "/endpoints", "Authorization", "Bearer secret"))
        .isEqualTo(PASSED);
  }

  @Test
  void nineWrongTokens_areForgiven() throws Exception {
    OperatorGuard operatorGuard = guard(null, "secret");
    for (int each = 0; each < FailedTokens.MOST - 1; each++) {
      status(operatorGuard, "/endpoints", "Authorization", "Bearer wrong");
    }
    assertThat(status(operatorGuard, "/endpoints", "Authorization", "Bearer secret"))
        .isEqualTo(PASSED);
  }

  @Test
  void portWithoutAToken_countsNothing() throws Exception {
    OperatorGuard open = guard("127.0.0.1", null);
    for (int each = 0; each < 2 * FailedTokens.MOST; each++) {
      assertThat(status(open, "/endpoints", "Host", "localhost", "Authorization", "Bearer x"))
          .isEqualTo(PASSED);
    }
  }

  @ParameterizedTest
  @CsvSource({"Bearer secret", "Bearer wrong"})
  void everyAnswer_isKeptToItself(String authorization) throws Exception {
    HttpHeaders headers =
        answer(guard(null, "secret"), "/x", "Authorization", authorization, "Origin", "http://a.b")
            .getHeaders();
    assertThat(headers.getFirst("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(headers.getFirst("X-Frame-Options")).isEqualTo("DENY");
    assertThat(headers.getFirst("Referrer-Policy")).isEqualTo("no-referrer");
    assertThat(headers.get("Cache-Control")).containsExactly("no-store");
    assertThat(headers.getFirst("Content-Security-Policy"))
        .isEqualTo("default-src 'none'; frame-ancestors 'none'");
    assertThat(headers.headerNames()).noneMatch(name -> name.startsWith("Access-Control"));
  }

  @ParameterizedTest
  @CsvSource({
    "/console, 0",
    "/console/main.js, 0",
    "/, 0",
    "/consoles, 401",
    "/live, 401",
    "/events, 401",
    "/tickets, 401"
  })
  void filesOfTheConsole_needNoToken_andDataDoes(String path, int status) throws Exception {
    assertThat(status(guard("127.0.0.1", "secret"), path, "Host", "127.0.0.1")).isEqualTo(status);
  }

  @ParameterizedTest
  @CsvSource({"text/event-stream, 503, close", "text/event-stream, 429, ", "'*/*', 503, "})
  void streamThatIsNotToBeHad_isAskedForOnAnotherConnection(
      String accept, int status, @Nullable String connection) throws Exception {
    MockServerHttpRequest request =
        MockServerHttpRequest.get("/live")
            .header("Host", "localhost")
            .header("Accept", accept)
            .build();
    MockServerHttpResponse response = new MockServerHttpResponse();
    response.setStatusCode(HttpStatusCode.valueOf(status));
    HttpHandler guarded = (given, answer) -> answer.setComplete();
    StepVerifier.create(guard("127.0.0.1", null).apply(guarded).handle(request, response))
        .verifyComplete();
    assertThat(response.getHeaders().getFirst("Connection")).isEqualTo(connection);
  }
}
