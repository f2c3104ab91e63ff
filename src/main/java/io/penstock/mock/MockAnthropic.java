package io.penstock.mock;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Anthropic's messages. */
final class MockAnthropic implements MockDialect, MockForm {
  private static final byte[] BLOCK_START =
      """
      event: content_block_start
      data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

      event: ping
      data: {"type":"ping"}

      """
          .getBytes(US_ASCII);
  private static final byte[] DELTA_START =
      """
      event: content_block_delta
      data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":\"\
      """
          .getBytes(US_ASCII);
  private static final byte[] DELTA_END = "\"}}\n\n".getBytes(US_ASCII);
  private static final byte[] BLOCK_STOP =
      """
      event: content_block_stop
      data: {"type":"content_block_stop","index":0}

      """
          .getBytes(US_ASCII);
  private static final byte[] MESSAGE_STOP =
      """
      event: message_stop
      data: {"type":"message_stop"}

      """
          .getBytes(US_ASCII);

  @Override
  public @Nullable Function<JsonNode, MockAsk> reader(String path, String query, int tokens) {
    return switch (path) {
      case "/v1/messages" -> body -> messages(body, tokens);
      case "/v1/messages/count_tokens" -> MockAnthropic::count;
      default -> null;
    };
  }

  private static MockAsk count(JsonNode body) {
    MockAsk.Refused wrong = MockRead.first(MockRead.model(body), MockRead.messages(body));
    return wrong == null
        ? new MockAsk.Count(MockRead.promptTokens(body.path("messages"), body.path("system")))
        : wrong;
  }

  @Override
  public byte[] counted(long tokens) {
    return JsonMapper.shared().writeValueAsBytes(Map.of("input_tokens", tokens));
  }

  private MockAsk messages(JsonNode body, int tokens) {
    MockAsk.Refused wrong =
        MockRead.first(
            MockRead.model(body),
            MockRead.messages(body),
            MockRead.number(body, "max_tokens", Integer.MAX_VALUE),
            MockRead.flag(body, "stream"));
    if (wrong != null) {
      return wrong;
    }
    int stated = MockRead.value(body, "max_tokens", 0);
    if (stated == 0) {
      return MockAsk.Refused.bad("max_tokens", "max_tokens: this field is required.");
    }
    long prompt = MockRead.promptTokens(body.path("messages"), body.path("system"));
    return new MockAsk.Generate(
        this,
        body.path("model").stringValue(),
        prompt,
        prompt,
        Math.min(tokens, stated),
        stated < tokens,
        1,
        body.path("stream").booleanValue(false),
        true);
  }

  @Override
  public boolean chargesOutput() {
    return true;
  }

  @Override
  public long chargedAtArrival(MockAsk.Generate ask) {
    return ask.promptTokens();
  }

  @Override
  public byte[] whole(MockAnswer answer) {
    MockAsk.Generate ask = answer.ask();
    MockBytes out = new MockBytes(512 + ask.outputTokens() * 6);
    head(answer, out);
    out.put("[{\"type\":\"text\",\"text\":\"");
    answer.text().append(out, 0, ask.outputTokens());
    out.put("\",\"citations\":null}],\"stop_reason\":\"").put(stop(ask));
    out.put("\",\"stop_sequence\":null,\"usage\":");
    usage(ask.promptTokens(), answer.outputTokens(), out);
    return out.put("}").toArray();
  }

  private static void head(MockAnswer answer, MockBytes out) {
    out.put("{\"id\":\"msg_mock_").put(answer.number());
    out.put("\",\"type\":\"message\",\"role\":\"assistant\",\"model\":").put(answer.model());
    out.put(",\"content\":");
  }

  private static String stop(MockAsk.Generate ask) {
    return ask.cutShort() ? "max_tokens" : "end_turn";
  }

  private static void usage(long input, long output, MockBytes out) {
    out.put("{\"input_tokens\":").put(input);
    out.put(",\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":");
    out.put(output).put(",\"service_tier\":\"standard\"}");
  }

  @Override
  public void begin(MockAnswer answer, MockBytes out) {
    out.put("event: message_start\ndata: {\"type\":\"message_start\",\"message\":");
    head(answer, out);
    out.put("[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":");
    // like the provider, which has already produced the first token when the answer starts
    usage(answer.ask().promptTokens(), 1, out);
    out.put("}}\n\n").put(BLOCK_START);
  }

  @Override
  public void tokens(MockAnswer answer, int from, int to, MockBytes out) {
    for (int at = from; at < to; at += MockAnswer.TOKENS_PER_EVENT) {
      out.put(DELTA_START);
      answer.text().append(out, at, Math.min(to, at + MockAnswer.TOKENS_PER_EVENT));
      out.put(DELTA_END);
    }
  }

  @Override
  public void end(MockAnswer answer, MockBytes out) {
    out.put(BLOCK_STOP);
    out.put("event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{");
    out.put("\"stop_reason\":\"");
    out.put(stop(answer.ask())).put("\",\"stop_sequence\":null},\"usage\":");
    out.put("{\"output_tokens\":").put(answer.outputTokens()).put("}}\n\n");
    out.put(MESSAGE_STOP);
  }

  @Override
  public byte[] error(MockAsk.Refused refused, String requestId) {
    String type =
        switch (refused.fault()) {
          case BAD_REQUEST, BAD_METHOD -> "invalid_request_error";
          case NOT_FOUND -> "not_found_error";
          case TOO_LARGE -> "request_too_large";
          case OVER_REQUESTS, OVER_TOKENS -> "rate_limit_error";
          case BROKEN -> "api_error";
        };
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("type", "error");
    error.put("error", Map.of("type", type, "message", refused.message()));
    error.put("request_id", requestId);
    return JsonMapper.shared().writeValueAsBytes(error);
  }

  @Override
  public String requestIdHeader() {
    return "request-id";
  }

  @Override
  public void limits(MockLimit.Verdict verdict, long unixMillis, HttpHeaders headers) {
    level("requests", verdict.requests(), unixMillis, headers);
    level("tokens", verdict.tokens(), unixMillis, headers);
    if (verdict.binding() != null && verdict.retryNanos() >= 0) {
      headers.set("retry-after", MockTimes.seconds(verdict.retryNanos()));
    }
  }

  private static void level(
      String what, MockLimit.@Nullable Level level, long unixMillis, HttpHeaders headers) {
    if (level != null) {
      String prefix = "anthropic-ratelimit-" + what;
      headers.set(prefix + "-limit", level.limit());
      headers.set(prefix + "-remaining", level.remaining());
      headers.set(prefix + "-reset", MockTimes.rfc3339(unixMillis, level.resetNanos()));
    }
  }
}
