package io.penstock.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.cost.Dialect;
import io.penstock.fake.GoldenRecords;
import io.penstock.gateway.request.RefusalWriter;
import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.RefusalBody;
import io.penstock.provider.RefusedCall;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.refusal.RetryAdvice;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.server.MockServerWebExchange;

/**
 * Compares every reason of a refusal, in each dialect, with records: status, headers and body. A
 * reason that is added to the enumeration differs from the records until it is in them.
 */
@Tag(GoldenRecords.TAG)
class RefusalGoldenTest {
  private static final String ID = "mine-7";

  /** The time of the wall clock: 2026-03-04T12:00:00Z. */
  private static final long NOON = 1_772_625_600_000L;

  private static final long WAIT = 12_345_600_000L;
  private static final long LONG_WAIT = 7_200_000_000_000L;

  private static String detail(RefusalReason refusalReason) {
    return "a \"detail\" of " + refusalReason.code();
  }

  /** Returns a refusal with a time; where a retry soon is useless, with a late one. */
  private static Refusal refusal(RefusalReason reason) {
    return new Refusal(reason, detail(reason), reason.retryUseless() ? LONG_WAIT : WAIT);
  }

  private static RetryAdvice advice(Refusal refusal) {
    return RetryAdvice.of(refusal, RetryAdvice.NO_CAP, NOON);
  }

  private static RefusalBody body(Dialect dialect, Refusal refusal) {
    return ProviderProtocol.of(dialect)
        .refusalBody(refusal, new RefusedCall(ID, advice(refusal).at(), "m", "sk-********wxyz"));
  }

  private static String answer(Refusal refusal, RefusalBody body) {
    MockServerWebExchange exchange =
        MockServerWebExchange.from(MockServerHttpRequest.get("/a/v1").build());
    RefusalWriter.write(exchange, refusal, advice(refusal), body, ID, "/a").toFuture().join();
    MockServerHttpResponse response = exchange.getResponse();
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    response.getHeaders().forEach(headers::put);
    StringBuilder text = new StringBuilder(response.getStatusCode() + "\n");
    headers.forEach(
        (name, values) -> values.forEach(value -> text.append(name + ": " + value + "\n")));
    return text + "\n" + response.getBodyAsString().toFuture().join() + "\n\n";
  }

  private static String allRefusals(java.util.function.Function<Refusal, RefusalBody> body) {
    StringBuilder text = new StringBuilder();
    for (RefusalReason refusalReason : RefusalReason.values()) {
      Refusal refusal = refusal(refusalReason);
      text.append("### ").append(refusalReason.code()).append("\n\n");
      text.append(answer(refusal, body.apply(refusal)));
    }
    Refusal soon = new Refusal(RefusalReason.KEY_RPD, "the day ends within a minute", WAIT);
    text.append("### key_rpd, within a minute\n\n").append(answer(soon, body.apply(soon)));
    Refusal unknown = Refusal.of(RefusalReason.QUEUE_FULL, "nothing is known of the time");
    text.append("### queue_full, without a time\n\n");
    text.append(answer(unknown, body.apply(unknown)));
    Refusal late = new Refusal(RefusalReason.KEY_TPM, "more than a minute from now", LONG_WAIT);
    text.append("### key_tpm, in two hours\n\n").append(answer(late, body.apply(late)));
    Refusal off = Refusal.of(RefusalReason.NO_HEALTHY_UPSTREAM, "it is disabled").withoutRetry();
    text.append("### no_healthy_upstream, until an operator changes something\n\n");
    text.append(answer(off, body.apply(off)));
    return text.toString();
  }

  @ParameterizedTest
  @FieldSource("io.penstock.dialect.DialectTable#ALL")
  void everyReason_inEachDialect(ProviderProtocol dialect) {
    String name = dialect.text();
    GoldenRecords.check(
        "client/refusals-" + name + ".http", allRefusals(refusal -> body(dialect, refusal)));
  }

  @Test
  void everyReason_ofAPermitEndpoint() {
    GoldenRecords.check(
        "client/refusals-permit.http",
        allRefusals(refusal -> ProviderProtocol.permitRefusal(refusal, advice(refusal).at())));
  }

  /** Compares the refusals after a stream has begun, and the beats before them. */
  @ParameterizedTest
  @FieldSource("io.penstock.dialect.DialectTable#ALL")
  void everyReason_asAnEventOfAStream(ProviderProtocol dialect) {
    byte[] beat = dialect.heartbeat("alt=sse");
    StringBuilder text = new StringBuilder("heartbeat: ");
    text.append(beat == null ? "none" : new String(beat, UTF_8).replace("\n", "\\n"));
    text.append("\n\n");
    for (RefusalReason refusalReason : RefusalReason.values()) {
      Refusal refusal = refusal(refusalReason);
      byte[] event = dialect.errorEvent(body(dialect, refusal).bytes());
      text.append("### ").append(refusalReason.code()).append("\n");
      text.append(new String(event, UTF_8)).append("\n");
    }
    String name = dialect.text();
    GoldenRecords.check("client/refusal-events-" + name + ".sse", text.toString());
  }
}
