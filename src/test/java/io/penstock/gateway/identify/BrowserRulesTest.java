package io.penstock.gateway.identify;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.HostNames;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.suite.Hostile;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;

class BrowserRulesTest {
  private static final String APP = "https://app.example";
  private static final String EVIL = "https://evil.example";
  private static final String SITE = "Sec-Fetch-Site";
  private static final HostNames LOOPBACK = HostNames.withLoopback(Set.of());
  private static final BrowserRules RULES = new BrowserRules(LOOPBACK, List.of(APP));
  private static final BrowserRules ANY_PAGE = new BrowserRules(LOOPBACK, List.of("*"));

  private static MockServerHttpRequest request(HttpMethod method, String... headers) {
    MockServerHttpRequest.BodyBuilder request =
        MockServerHttpRequest.method(method, "http://localhost:8080/a");
    for (int at = 0; at < headers.length; at += 2) {
      request.header(headers[at], headers[at + 1]);
    }
    return request.build();
  }

  private static @Nullable RefusalReason reason(
      BrowserRules rules, boolean keyed, String... headers) {
    Refusal refusal = rules.refusal(request(HttpMethod.POST, headers), keyed);
    return refusal == null ? null : refusal.reason();
  }

  private static @Nullable RefusalReason reason(String... headers) {
    return reason(RULES, false, headers);
  }

  private static MockServerHttpRequest preflight(String origin, String method) {
    return request(
        HttpMethod.OPTIONS,
        "Host",
        "localhost:8080",
        "Origin",
        origin,
        "Access-Control-Request-Method",
        method,
        "Access-Control-Request-Headers",
        "authorization, x-priority");
  }

  @Hostile(Hostile.By.PAGE)
  @Test
  void hostIsLookedAtFirst_andOnlyWithoutKeys() {
    assertThat(reason("Host", "evil.example")).isEqualTo(RefusalReason.FOREIGN_HOST);
    assertThat(reason("Host", "evil.example", "Origin", APP)).isEqualTo(RefusalReason.FOREIGN_HOST);
    assertThat(reason()).isEqualTo(RefusalReason.FOREIGN_HOST);
    assertThat(reason(RULES, true, "Host", "evil.example")).isNull();
    assertThat(reason("Host", "localhost:8080")).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "https://app.example, true",
    "HTTPS://APP.example, true",
    "http://localhost:8080, true",
    "https://localhost:8080, true",
    "http://app.example, false",
    "https://app.example:8443, false",
    "https://app.example.evil, false",
    "https://a.app.example, false",
    "http://localhost:3000, false",
    "http://127.0.0.1:8080, false",
    "null, false",
    "'', false"
  })
  void origin_isAnAllowedOneOrThatOfTheGateway(String origin, boolean served) {
    RefusalReason expected = served ? null : RefusalReason.FOREIGN_ORIGIN;
    assertThat(reason("Host", "localhost:8080", "Origin", origin)).isEqualTo(expected);
    assertThat(reason(RULES, true, "Host", "localhost:8080", "Origin", origin)).isNull();
  }

  @Hostile(Hostile.By.PAGE)
  @Test
  void severalOrigins_areForeignUnlessAllAreTheGateways() {
    assertThat(reason("Host", "localhost", "Origin", APP, "Origin", EVIL))
        .isEqualTo(RefusalReason.FOREIGN_ORIGIN);
    assertThat(reason("Host", "localhost", "Origin", APP, "Origin", APP))
        .isEqualTo(RefusalReason.FOREIGN_ORIGIN);
  }

  @ParameterizedTest
  @CsvSource({
    "same-origin, true",
    "none, true",
    "same-site, false",
    "cross-site, false",
    "another, false",
    "'', false"
  })
  void site_isThatOfTheGateway(String site, boolean served) {
    RefusalReason expected = served ? null : RefusalReason.FOREIGN_ORIGIN;
    assertThat(reason("Host", "localhost", SITE, site)).isEqualTo(expected);
    assertThat(reason("Host", "localhost", "Origin", "http://localhost", SITE, site))
        .isEqualTo(expected);
    assertThat(reason("Host", "localhost", "Origin", APP, SITE, site)).isNull();
    assertThat(reason(RULES, true, "Host", "localhost", SITE, site)).isNull();
  }

  @Test
  void star_isEveryPage() {
    assertThat(reason(ANY_PAGE, false, "Host", "localhost", "Origin", EVIL)).isNull();
    assertThat(reason(ANY_PAGE, false, "Host", "localhost", "Origin", "null")).isNull();
    assertThat(reason(ANY_PAGE, false, "Host", "localhost", SITE, "cross-site")).isNull();
    assertThat(reason(ANY_PAGE, false, "Host", "evil.example", "Origin", EVIL))
        .isEqualTo(RefusalReason.FOREIGN_HOST);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void preflight_isAnsweredForAllowedOrigins(boolean keyed) {
    MockServerHttpRequest preflight = preflight(APP, "DELETE");
    assertThat(RULES.refusal(preflight, keyed)).isNull();
    HttpHeaders answer = answered(RULES, preflight);
    assertThat(answer.getAccessControlAllowOrigin()).isEqualTo(APP);
    assertThat(answer.getAccessControlAllowMethods()).containsExactly(HttpMethod.DELETE);
    assertThat(answer.getAccessControlAllowHeaders())
        .containsExactly("authorization", "x-priority");
    assertThat(answer.getAccessControlMaxAge()).isEqualTo(7200);
    assertThat(answer.getAccessControlAllowCredentials()).isFalse();
    assertThat(answer.getVary()).contains("Origin");
    assertThat(answer.getFirst("x-request-id")).isEqualTo("id");
  }

  private static HttpHeaders answered(BrowserRules rules, MockServerHttpRequest preflight) {
    MockServerWebExchange exchange = MockServerWebExchange.from(preflight);
    rules.answer(exchange, "id").toFuture().join();
    assertThat(exchange.getResponse().getStatusCode()).isEqualTo(HttpStatus.NO_CONTENT);
    return exchange.getResponse().getHeaders();
  }

  @Hostile(Hostile.By.PAGE)
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void preflightOfAnotherOrigin_isRefused(boolean keyed) {
    for (String origin : List.of(EVIL, "null", "http://localhost:8080")) {
      assertThat(RULES.refusal(preflight(origin, "POST"), keyed))
          .as(origin)
          .extracting(Refusal::reason)
          .isEqualTo(RefusalReason.FOREIGN_ORIGIN);
    }
  }

  @Test
  void star_isSaidAsAStar() {
    assertThat(ANY_PAGE.refusal(preflight(EVIL, "POST"), true)).isNull();
    assertThat(answered(ANY_PAGE, preflight(EVIL, "POST")).getAccessControlAllowOrigin())
        .isEqualTo("*");
  }

  /**
   * Applies the rules to an answer from an upstream that states which pages may read it, and
   * returns its headers.
   */
  private static HttpHeaders shared(String... headers) {
    MockServerWebExchange exchange = MockServerWebExchange.from(request(HttpMethod.POST, headers));
    RULES.share(exchange);
    HttpHeaders answer = exchange.getResponse().getHeaders();
    answer.add("access-control-allow-origin", "*");
    answer.add("access-control-allow-credentials", "true");
    answer.add("Vary", "Accept-Encoding");
    exchange.getResponse().setComplete().toFuture().join();
    return answer;
  }

  @Test
  void answerToAnAllowedOrigin_saysSo_whateverTheUpstreamSays() {
    HttpHeaders answer = shared("Host", "localhost:8080", "Origin", APP);
    assertThat(answer.get("Access-Control-Allow-Origin")).containsExactly(APP);
    assertThat(answer.get("Access-Control-Expose-Headers")).containsExactly("*");
    assertThat(answer.containsHeader("Access-Control-Allow-Credentials")).isFalse();
    assertThat(answer.getVary()).contains("Accept-Encoding", "Origin");
  }

  @Test
  void answerToAnyoneElse_isLeftAlone() {
    for (String[] headers : new String[][] {{"Host", "localhost"}, {"Origin", EVIL}}) {
      HttpHeaders answer = shared(headers);
      assertThat(answer.get("Access-Control-Allow-Origin")).containsExactly("*");
      assertThat(answer.getVary()).containsExactly("Accept-Encoding");
    }
  }
}
