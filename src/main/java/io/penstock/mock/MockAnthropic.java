package io.penstock.mock;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Anthropic's messages. */
final class MockAnthropic implements MockDialect, MockForm {
  private static final Pattern MODELS = Pattern.compile("/v1/models(?:/([^/]{1,256}))?");
  private static final String ONLY_MODEL = "mock";
  private static final MockTools.Members TOOL = new MockTools.Members("", List.of("input_schema"));

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
  private static final byte[] INPUT_DELTA_START =
      """
      event: content_block_delta
      data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta",\
      "partial_json":\"\
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

  private final boolean caches;

  /**
   * @param caches whether the provider caches prompts, and so looks for marks
   */
  MockAnthropic(boolean caches) {
    this.caches = caches;
  }

  @Override
  public @Nullable Function<JsonNode, MockAsk> reader(
      String path, String query, MockAddress address) {
    return switch (path) {
      case "/v1/messages" -> body -> messages(body, address);
      case "/v1/messages/count_tokens" -> this::count;
      default -> null;
    };
  }

  @Override
  public byte @Nullable [] models(String path) {
    Matcher models = MODELS.matcher(path);
    if (!models.matches()) {
      return null;
    }
    if (models.group(1) != null) {
      return JsonMapper.shared().writeValueAsBytes(model(models.group(1)));
    }
    Map<String, Object> list = new LinkedHashMap<>();
    list.put("data", List.of(model(ONLY_MODEL)));
    list.put("has_more", false);
    list.put("first_id", ONLY_MODEL);
    list.put("last_id", ONLY_MODEL);
    return JsonMapper.shared().writeValueAsBytes(list);
  }

  private static Map<String, Object> model(String id) {
    Map<String, Object> model = new LinkedHashMap<>();
    model.put("type", "model");
    model.put("id", id);
    model.put("display_name", id.equals(ONLY_MODEL) ? "Mock" : id);
    model.put("created_at", "2025-01-01T00:00:00Z");
    model.put("lifecycle", "active");
    return model;
  }

  private MockAsk count(JsonNode body) {
    MockAsk.Refused wrong =
        MockRead.first(MockRead.model(body), MockRead.messages(body), marks(body));
    return wrong == null ? new MockAsk.Count(promptTokens(body)) : wrong;
  }

  private MockAsk.@Nullable Refused marks(JsonNode body) {
    return caches ? MockPrompt.fault(body) : null;
  }

  private long promptTokens(JsonNode body) {
    return caches
        ? MockPrompt.of(body).tokens()
        : MockRead.promptTokens(body.path("messages"), body.path("system"), body.path("tools"));
  }

  @Override
  public byte[] counted(long tokens) {
    return JsonMapper.shared().writeValueAsBytes(Map.of("input_tokens", tokens));
  }

  private MockAsk messages(JsonNode body, MockAddress address) {
    int tokens = address.tokens();
    MockAsk.Refused wrong =
        MockRead.first(
            MockRead.model(body),
            MockRead.messages(body),
            MockRead.number(body, "max_tokens", Integer.MAX_VALUE),
            MockRead.flag(body, "stream"),
            marks(body));
    if (wrong != null) {
      return wrong;
    }
    int stated = MockRead.value(body, "max_tokens", 0);
    if (stated == 0) {
      return MockAsk.Refused.bad("max_tokens", "max_tokens: this field is required.");
    }
    MockPrompt blocks = caches ? MockPrompt.of(body) : null;
    long prompt = blocks == null ? promptTokens(body) : blocks.tokens();
    return new MockAsk.Generate(
            this,
            body.path("model").stringValue(),
            new MockAsk.Input(prompt, prompt, blocks),
            Math.min(tokens, stated),
            MockAsk.Said.words(stated < tokens),
            1,
            body.path("stream").booleanValue(false),
            true)
        .saying(stated, call(body, address.callsTools()), document(body));
  }

  private static @Nullable MockContent call(JsonNode body, boolean offered) {
    JsonNode choice = body.path("tool_choice");
    String type = choice.path("type").stringValue("");
    String named = choice.path("name").stringValue("");
    boolean over = MockTools.any(body.path("messages"), "content", "type", "tool_result");
    return over
        ? null
        : MockTools.call(body.path("tools"), TOOL, MockTools.Choice.of(type, named, offered));
  }

  private static @Nullable MockContent document(JsonNode body) {
    JsonNode format = body.path("output_config").path("format");
    JsonNode asked = format.isObject() ? format : body.path("output_format");
    return MockContent.document(
        asked.path("type").stringValue("").equals("json_schema"), asked.path("schema"));
  }

  @Override
  public boolean chargesOutput() {
    return true;
  }

  @Override
  public long chargedAtArrival(MockAsk.Generate ask) {
    return ask.input().tokens();
  }

  @Override
  public byte[] whole(MockAnswer answer) {
    MockAsk.Generate ask = answer.ask();
    MockBytes out = new MockBytes(512 + ask.outputTokens() * 6);
    head(answer, out);
    MockContent call = MockContent.toolOf(answer);
    if (call == null) {
      out.put("[{\"type\":\"text\",\"text\":\"");
      answer.text().append(out, 0, ask.outputTokens());
      out.put("\"");
    } else {
      out.put("[{").put(toolUse(answer, call)).put(call.json());
    }
    out.put("}],\"stop_reason\":\"").put(stop(ask));
    out.put("\",\"stop_sequence\":null,\"usage\":");
    usage(answer, answer.outputTokens(), out);
    return out.put("}").toArray();
  }

  private static void head(MockAnswer answer, MockBytes out) {
    out.put("{\"id\":\"msg_mock_").put(answer.number());
    out.put("\",\"type\":\"message\",\"role\":\"assistant\",\"model\":").put(answer.model());
    out.put(",\"content\":");
  }

  private static String stop(MockAsk.Generate ask) {
    boolean calls = ask.said().content() != null && ask.said().content().tool() != null;
    return calls ? "tool_use" : ask.said().cutShort() ? "max_tokens" : "end_turn";
  }

  /** Returns the members of a block that calls a tool, up to its input. */
  private static String toolUse(MockAnswer answer, MockContent call) {
    return "\"type\":\"tool_use\",\"id\":\"toolu_mock_%d\",\"name\":%s,\"input\":"
        .formatted(answer.number(), call.toolName());
  }

  private static void usage(MockAnswer answer, long output, MockBytes out) {
    PromptCache.Use use = answer.use();
    out.put("{\"input_tokens\":").put(use.uncached());
    out.put(",\"cache_creation_input_tokens\":").put(use.written() + use.writtenForHour());
    out.put(",\"cache_read_input_tokens\":").put(use.read());
    if (answer.ask().input().blocks() != null) {
      out.put(",\"cache_creation\":{\"ephemeral_5m_input_tokens\":").put(use.written());
      out.put(",\"ephemeral_1h_input_tokens\":").put(use.writtenForHour()).put("}");
    }
    out.put(",\"output_tokens\":").put(output).put(",\"service_tier\":\"standard\"}");
  }

  @Override
  public void begin(MockAnswer answer, MockBytes out) {
    out.put("event: message_start\ndata: {\"type\":\"message_start\",\"message\":");
    head(answer, out);
    out.put("[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":");
    // like the provider, which has already produced the first token when the answer starts
    usage(answer, 1, out);
    out.put("}}\n\n");
    MockContent call = MockContent.toolOf(answer);
    if (call == null) {
      out.put(BLOCK_START);
    } else {
      out.put("event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,");
      out.put("\"content_block\":{").put(toolUse(answer, call)).put("{}}}\n\n");
    }
  }

  @Override
  public void tokens(MockAnswer answer, int from, int to, MockBytes out) {
    boolean calls = MockContent.toolOf(answer) != null;
    for (int at = from; at < to; at += MockAnswer.TOKENS_PER_EVENT) {
      out.put(calls ? INPUT_DELTA_START : DELTA_START);
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
    usage(answer, answer.outputTokens(), out);
    out.put("}\n\n");
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
    level("input-tokens", verdict.input(), unixMillis, headers);
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
