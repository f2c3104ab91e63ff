package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RunningGateway;
import io.penstock.model.ModelLimits;
import io.penstock.model.ModelQuotas;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** Tests decisions about models. Each test has models of its own. */
class DecisionsIT {
  private static final Pattern ID = Pattern.compile("\"id\":\"([0-9a-f]{32})\"");

  private static final Pattern WAITING = Pattern.compile("\npenstock_decision_waits (\\d+)");

  private static RunningGateway gateway;

  @BeforeAll
  static void start() {
    gateway = RunningGateway.start("endpoints:\n  - path: /a\n");
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  private static String request(String method, String target, String json) {
    return "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(method, target, json.length(), json);
  }

  private static HttpMessage ask(String method, String target, String json) {
    try (ByteSocket byteSocket = ByteSocket.to(gateway.operatorPort())) {
      return byteSocket.send(request(method, target, json)).answer();
    }
  }

  private static HttpMessage ok(String method, String target, String json) {
    HttpMessage answer = ask(method, target, json);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer;
  }

  private static void model(String name, long rpm, long tpm, long rpd) {
    ok(
        "PUT",
        "/quotas?model=" + name,
        "{\"max_rpm\":%d,\"max_tpm\":%d,\"max_rpd\":%d}".formatted(rpm, tpm, rpd));
  }

  private static void used(String name, long tokens) {
    ok(
        "POST",
        "/quotas/usage?model=" + name,
        "{\"prompt_tokens\":%d,\"output_tokens\":0}".formatted(tokens));
  }

  private static String decide(String model, long tokens) {
    return ok("POST", "/quotas/decide?model=" + model, "{\"tokens\":" + tokens + "}").text();
  }

  @Test
  void decision_hasAllThatIsPromised() {
    Ticker since = Ticker.system();
    model("d", 2, 100, 3);
    used("d", 60);
    assertThat(decide("d", 40))
        .matches(
            "(?s)\\{\"allowed\":true,\"code\":\"ok\",\"reason\":\"there is room\","
                + "\"retry_after_ms\":0,\"utilization\":0.6,\"window_start\":\"20[^\"]*Z\","
                + "\"stats\":\\{\"rpm\":1,\"max_rpm\":2,\"tpm\":60,\"max_tpm\":100,\"rpd\":1,"
                + "\"max_rpd\":3,\"day_start\":\"20[^\"]*Z\"}}\n");
    String denied = decide("d", 41);
    assertThat(denied).contains("\"allowed\":false,\"code\":\"tpm_exceeded\"");
    assertThat(JsonMapper.shared().readTree(denied).path("retry_after_ms").asLong())
        .isBetween(59_999 - since.nanos() / 1_000_000, 61_999L);
    assertThat(decide("d", 101)).contains("\"tpm_exceeded\"", "\"retry_after_ms\":null");
    used("d", 0);
    assertThat(decide("d", 1)).contains("\"rpm_exceeded\"");
    used("d", 0);
    assertThat(decide("d", 1)).contains("\"rpd_exceeded\"");
    assertThat(decide("d", -1)).contains("\"invalid_tokens\"", "\"retry_after_ms\":null");
    assertThat(decide("nobody", 1))
        .contains("\"allowed\":true,\"code\":\"unknown_model\"", "\"day_start\":null");
    assertThat(decide("gemini-2.0-flash-lite", 1))
        .contains("\"allowed\":true,\"code\":\"unlimited\"");
    ok("DELETE", "/quotas/usage?model=d", "");
    assertThat(decide("d", 100)).contains("\"ok\"", "\"rpd\":0");
  }

  @Test
  void usage_countsAgainstTraffic_andTrafficAgainstDecisions() {
    model("t", 0, 100, 0);
    ModelQuotas models = gateway.bean(ModelQuotas.class);
    long now = gateway.bean(Ticker.class).nanos();
    assertThat(
            Objects.requireNonNull(models.of("t", now))
                .take(Cost.ofInput(50), now, new ArrayList<>()))
        .isTrue();
    assertThat(decide("t", 51)).contains("\"tpm_exceeded\"", "\"tpm\":50");
    used("t", 50);
    assertThat(
            Objects.requireNonNull(models.of("t", now))
                .take(Cost.ofInput(1), now, new ArrayList<>()))
        .isFalse();
  }

  @Test
  void quotas_areListed_changed_andAsTheyWere() {
    assertThat(ok("GET", "/quotas?model=gemini-2.5-pro-latest", "").text())
        .startsWith(
            "[{\"model\":\"gemini-2.5-pro\",\"source\":\"profile\",\"limits_traffic\":false,")
        .contains("\"max_rpm\":150", "\"max_tpm\":1000000", "\"max_rpd\":1000");
    assertThat(ok("PUT", "/quotas?model=gemini-2.5-pro", "{\"max_rpm\":7}").text())
        .contains("\"source\":\"override\",\"limits_traffic\":true")
        .contains("\"max_rpm\":7", "\"max_tpm\":1000000", "\"max_rpd\":1000");
    assertThat(ok("GET", "/quotas", "").text()).contains("\"gemini-2.5-pro\"", "\"max_rpm\":7");
    assertThat(ok("PUT", "/quotas?model=gemini-2.5-pro", "{\"rpm\":8,\"rpd\":9}").text())
        .contains("\"max_rpm\":8", "\"max_tpm\":1000000", "\"max_rpd\":9");
    assertThat(ok("DELETE", "/quotas/override?model=gemini-2.5-pro", "").text())
        .contains("\"max_rpm\":150");
    assertThat(ask("DELETE", "/quotas/override?model=gemini-2.5-pro", "").status()).isEqualTo(404);
    assertThat(ok("POST", "/providers/local", "").text()).startsWith("{\"provider\":\"local\"");
    assertThat(ask("POST", "/providers/nobody", "").status()).isEqualTo(404);
  }

  @Test
  void reservation_isSettledOnce_orReleased() {
    Ticker since = Ticker.system();
    model("r", 0, 100, 0);
    String id = reserve("r", 60);
    HttpMessage denied = ask("POST", "/quotas/reservations?model=r", "{\"tokens\":41}");
    assertThat(denied.status()).isEqualTo(429);
    assertThat(denied.header("content-type")).isEqualTo("application/problem+json");
    assertThat(Long.parseLong(Objects.requireNonNull(denied.header("retry-after"))))
        .isBetween(59 - since.nanos() / 1_000_000_000, 62L);
    assertThat(denied.text())
        .contains("\"status\":429,\"detail\":\"60 of 100", "\"code\":\"tpm_exceeded\"");
    String usage = "{\"prompt_tokens\":8,\"output_tokens\":2}";
    assertThat(ok("PUT", "/reservations/" + id, usage).text())
        .isEqualTo("{\"model\":\"r\",\"reserved_tokens\":60,\"used_tokens\":10}\n");
    assertThat(ask("PUT", "/reservations/" + id, usage).status()).isEqualTo(404);
    assertThat(decide("r", 0)).contains("\"tpm\":10");
    String released = reserve("r", 90);
    ok("DELETE", "/reservations/" + released, "");
    assertThat(ask("DELETE", "/reservations/" + released, "").status()).isEqualTo(404);
    assertThat(decide("r", 0)).contains("\"tpm\":10", "\"rpm\":1");
    assertThat(
            ask("POST", "/quotas/reservations?model=r", "{\"tokens\":101}").header("retry-after"))
        .isNull();
  }

  private static String reserve(String model, long tokens) {
    HttpMessage made =
        ask("POST", "/quotas/reservations?model=" + model, "{\"tokens\":" + tokens + "}");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    assertThat(made.text()).contains("\"expires_at\":\"20", "\"decision\":{\"allowed\":true");
    Matcher id = ID.matcher(made.text());
    assertThat(id.find()).isTrue();
    return id.group(1);
  }

  @Test
  void wait_endsWithRoom_withItsTime_orAtOnce() {
    model("w", 0, 100, 0);
    used("w", 100);
    try (ByteSocket waits = ByteSocket.to(gateway.operatorPort())) {
      waits.send(request("POST", "/quotas/wait?model=w", "{\"tokens\":5,\"timeout_ms\":50000}"));
      HttpMessage late = ask("POST", "/quotas/wait?model=w", "{\"tokens\":5,\"timeout_ms\":1}");
      assertThat(late.status()).isEqualTo(408);
      assertThat(late.text()).contains("\"status\":408", "\"code\":\"tpm_exceeded\"");
      assertThat(ask("POST", "/quotas/wait?model=w", "{\"tokens\":101}").status()).isEqualTo(429);
      RunningGateway.awaiting().until(() -> waiting() == 1);
      ok("DELETE", "/quotas/usage?model=w", "");
      assertThat(waits.answer().status()).isEqualTo(200);
    }
  }

  @Test
  void clientThatIsGone_isForgotten() {
    model("g", 0, 100, 0);
    used("g", 100);
    try (ByteSocket waits = ByteSocket.to(gateway.operatorPort())) {
      waits.send(request("POST", "/quotas/wait?model=g", "{\"tokens\":5,\"timeout_ms\":50000}"));
      RunningGateway.awaiting().until(() -> waiting() == 1);
    }
    RunningGateway.awaiting().until(() -> waiting() == 0);
  }

  private static int waiting() {
    Matcher gauge = WAITING.matcher(ok("GET", "/actuator/prometheus", "").text());
    assertThat(gauge.find()).isTrue();
    return Integer.parseInt(gauge.group(1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "400|POST|/quotas/decide|{\"tokens\":1}",
        "400|POST|/quotas/decide?model=|{\"tokens\":1}",
        "400|POST|/quotas/decide?model=a&model=b|{\"tokens\":1}",
        "400|POST|/quotas/decide?model=m|''",
        "400|POST|/quotas/decide?model=m|{",
        "400|POST|/quotas/decide?model=m|[1]",
        "400|POST|/quotas/decide?model=m|{}",
        "400|POST|/quotas/decide?model=m|{\"tokens\":null}",
        "400|POST|/quotas/decide?model=m|{\"tokens\":\"1\"}",
        "400|POST|/quotas/decide?model=m|{\"tokens\":1.5}",
        "400|POST|/quotas/decide?model=m|{\"tokens\":1e30}",
        "400|POST|/quotas/decide?model=m|{\"tokens\":99999999999999999999}",
        "400|POST|/quotas/decide?model=m|{\"tokens\":1,\"more\":1}",
        "400|POST|/quotas/decide?model=m|{\"tokens\":1} {}",
        "400|POST|/quotas/decide?model=m|{\"tokens\":1,\"tokens\":2}",
        "400|POST|/quotas/decide?model=m&tokens=1|{\"tokens\":1}",
        "400|POST|/quotas/wait?model=m|{\"tokens\":-1}",
        "400|POST|/quotas/wait?model=m|{\"timeout_ms\":1}",
        "400|POST|/quotas/wait?model=m|{\"tokens\":1,\"timeout_ms\":-1}",
        "400|POST|/quotas/wait?model=m|{\"tokens\":1,\"timeout_ms\":3600001}",
        "400|POST|/quotas/usage?model=m|{\"prompt_tokens\":1}",
        "400|POST|/quotas/usage?model=m|{\"prompt_tokens\":-1,\"output_tokens\":1}",
        "400|POST|/quotas/usage?model=m|{\"prompt_tokens\":1,\"output_tokens\":1099511627777}",
        "400|POST|/quotas/reservations?model=m|{\"tokens\":-1}",
        "400|POST|/quotas/reservations?model=m|{\"tokens\":1099511627777}",
        "400|PUT|/quotas?model=m|{}",
        "400|PUT|/quotas?model=m|{\"max_rpm\":-1}",
        "400|PUT|/quotas?model=m|{\"rpm\":-1}",
        "400|PUT|/quotas?model=m|{\"rpm\":1,\"max_rpm\":1}",
        "400|PUT|/quotas?model=m|{\"max_rpm\":true}",
        "400|PUT|/quotas|{\"max_rpm\":1}",
        "400|DELETE|/quotas/override|''",
        "400|DELETE|/quotas/usage?model=|''",
        "400|DELETE|/quotas/usage?modle=m|''",
        "400|GET|/quotas?model=|''",
        "400|PUT|/reservations/x|{}",
        "404|PUT|/reservations/x|{\"prompt_tokens\":1,\"output_tokens\":1}",
        "404|DELETE|/reservations/x|''",
        "404|GET|/quotas?model=nobody|''",
        "404|DELETE|/quotas/usage?model=nobody|''",
        "404|DELETE|/quotas/override?model=nobody|''",
        "405|DELETE|/quotas|''",
        "405|GET|/quotas/decide|''",
        "405|GET|/reservations/x|''",
        "405|GET|/providers/openai|''",
        "404|GET|/reservations|''"
      })
  void badInput_isAProblem_andChangesNothing(
      int status, String method, String target, String json) {
    Map<String, ModelLimits> before = gateway.bean(ModelQuotas.class).overrides();
    HttpMessage answer = ask(method, target, json);
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
    assertThat(answer.text()).contains("\"detail\":\"");
    assertThat(gateway.bean(ModelQuotas.class).overrides()).isEqualTo(before);
  }

  @Test
  void largeBody_andLongName_areRefused() {
    HttpMessage answer =
        ask("POST", "/quotas/decide?model=m", "{\"tokens\":" + " ".repeat(1 << 20) + "1}");
    assertThat(answer.status()).isEqualTo(413);
    assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
    String name = "m".repeat(257);
    assertThat(ask("POST", "/quotas/decide?model=" + name, "{\"tokens\":1}").status())
        .isEqualTo(400);
  }
}
