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
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/** OpenAI's calls. Writes the answers of chat completions itself. */
final class MockOpenAi implements MockDialect, MockForm {
  private static final byte[] MODELS =
      """
      {"object":"list","data":[\
      {"id":"mock","object":"model","created":1735689600,"owned_by":"penstock"},\
      {"id":"mock-embedding","object":"model","created":1735689600,"owned_by":"penstock"}]}\
      """
          .getBytes(US_ASCII);

  /** A call below an Azure deployment. */
  private static final Pattern AZURE =
      Pattern.compile(
          "/openai/deployments/([^/]{1,256})(/(?:chat/completions|completions|embeddings))");

  private static final Pattern MODEL = Pattern.compile("/v1/models/([^/]{1,256})");
  private static final MockTools.Members TOOL =
      new MockTools.Members("function", List.of("parameters"));
  private static final int MAX_ANSWERS = 128;
  private static final int MAX_OUTPUT_TOKENS = 1_000_000;
  private static final int MAX_INPUTS = 2_048;
  private static final int MAX_DIMENSIONS = 3_072;
  private static final int DIMENSIONS = 1_536;

  /** The part of an event after its text, unless it is the last event of an answer. */
  private static final byte[] EVENT_END =
      "\"},\"logprobs\":null,\"finish_reason\":null}]".getBytes(US_ASCII);

  private static final byte[] CALL_END =
      "\"}}]},\"logprobs\":null,\"finish_reason\":null}]".getBytes(US_ASCII);

  private static final String CALL_DELTA =
      ",\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"";

  private final MockCompletions completions = new MockCompletions();
  private final MockResponses responses = new MockResponses();

  @Override
  public @Nullable Function<JsonNode, MockAsk> reader(
      String path, String query, MockAddress address) {
    Matcher azure = AZURE.matcher(path);
    if (azure.matches()) {
      Function<JsonNode, MockAsk> reader = reader("/v1" + azure.group(2), query, address);
      return reader == null ? null : body -> reader.apply(named(body, azure.group(1)));
    }
    return switch (plain(path)) {
      case "/v1/chat/completions" -> body -> chat(body, address);
      case "/v1/completions" -> body -> completions.read(body, address.tokens());
      case "/v1/responses" -> body -> responses.read(body, address);
      case "/v1/embeddings" -> MockOpenAi::embed;
      default -> null;
    };
  }

  @Override
  public @Nullable Function<JsonNode, MockAsk> messages(String path, MockAddress address) {
    return plain(path).equals("/v1/responses") ? body -> responses.read(body, address) : null;
  }

  /** Returns OpenAI's path for a path with a prefix of Azure. */
  private static String plain(String path) {
    return path.startsWith("/openai/v1/") ? path.substring("/openai".length()) : path;
  }

  /** Sets the model to the deployment, whatever the body names. */
  private static JsonNode named(JsonNode body, String deployment) {
    return ((ObjectNode) body.deepCopy()).put("model", deployment);
  }

  @Override
  public byte @Nullable [] models(String path) {
    String plain = plain(path);
    if (plain.equals("/v1/models")) {
      return MODELS;
    }
    Matcher one = MODEL.matcher(plain);
    return one.matches()
        ? JsonMapper.shared()
            .writeValueAsBytes(
                Map.of(
                    "id",
                    one.group(1),
                    "object",
                    "model",
                    "created",
                    1_735_689_600,
                    "owned_by",
                    "penstock"))
        : null;
  }

  @Override
  public byte[] counted(long tokens) {
    throw new IllegalStateException("there is no count of tokens, so none was asked for");
  }

  private MockAsk chat(JsonNode body, MockAddress address) {
    int tokens = address.tokens();
    JsonNode options = body.path("stream_options");
    MockAsk.Refused wrong =
        MockRead.first(
            MockRead.model(body),
            MockRead.messages(body),
            MockRead.number(body, "max_tokens", Integer.MAX_VALUE),
            MockRead.number(body, "max_completion_tokens", Integer.MAX_VALUE),
            MockRead.number(body, "n", MAX_ANSWERS),
            MockRead.flag(body, "stream"),
            MockRead.flag(options, "include_usage"));
    if (wrong != null) {
      return wrong;
    }
    boolean stream = body.path("stream").booleanValue(false);
    if (!stream && !MockRead.absent(options)) {
      return MockAsk.Refused.bad(
          "stream_options", "stream_options: expected only where stream is true.");
    }
    int stated =
        Math.max(
            MockRead.value(body, "max_tokens", 0),
            MockRead.value(body, "max_completion_tokens", 0));
    int answers = MockRead.value(body, "n", 1);
    int output = stated == 0 ? tokens : Math.min(tokens, stated);
    if ((long) output * answers > MAX_OUTPUT_TOKENS) {
      return MockAsk.Refused.bad(
          "n", "n: expected answers of at most " + MAX_OUTPUT_TOKENS + " tokens together.");
    }
    long prompt =
        MockRead.promptTokens(body.path("messages"), MissingNode.getInstance(), body.path("tools"));
    return new MockAsk.Generate(
            this,
            body.path("model").stringValue(),
            new MockAsk.Input(prompt, Math.max((long) stated * answers, prompt), null),
            output,
            MockAsk.Said.words(output < tokens),
            answers,
            stream,
            options.path("include_usage").booleanValue(false))
        .saying(stated, call(body, address.callsTools()), document(body.path("response_format")));
  }

  private static @Nullable MockContent call(JsonNode body, boolean offered) {
    JsonNode choice = body.path("tool_choice");
    String named = choice.path("function").path("name").stringValue("");
    boolean over = MockTools.any(body.path("messages"), "content", "role", "tool");
    return over
        ? null
        : MockTools.call(
            body.path("tools"), TOOL, MockTools.Choice.of(choice.stringValue(""), named, offered));
  }

  private static @Nullable MockContent document(JsonNode format) {
    String type = format.path("type").stringValue("");
    return MockContent.document(
        type.equals("json_schema") || type.equals("json_object"),
        format.path("json_schema").path("schema"));
  }

  private static MockAsk embed(JsonNode body) {
    JsonNode format = body.path("encoding_format");
    MockAsk.Refused wrong =
        MockRead.first(MockRead.model(body), MockRead.number(body, "dimensions", MAX_DIMENSIONS));
    if (wrong != null) {
      return wrong;
    }
    boolean base64 = format.isString() && format.stringValue().equals("base64");
    if (!base64 && !MockRead.absent(format) && !"float".equals(format.stringValue(""))) {
      return MockAsk.Refused.bad("encoding_format", "encoding_format: expected float or base64.");
    }
    JsonNode input = body.path("input");
    int inputs = input.isArray() && !isTokens(input) ? input.size() : 1;
    long prompt = inputTokens(input);
    if (prompt <= 0 || inputs > MAX_INPUTS) {
      return MockAsk.Refused.bad(
          "input", "input: expected text, tokens, or a list of at most " + MAX_INPUTS + " such.");
    }
    return new MockAsk.Embed(
        body.path("model").stringValue(),
        prompt,
        inputs,
        MockRead.value(body, "dimensions", DIMENSIONS),
        base64,
        true);
  }

  static boolean isTokens(JsonNode input) {
    return input.isArray() && input.path(0).isIntegralNumber();
  }

  /** Returns the number of tokens of all inputs; 0 or less if there is none or one is malformed. */
  static long inputTokens(JsonNode input) {
    if (!input.isArray() || isTokens(input)) {
      return oneInputTokens(input);
    }
    long sum = 0;
    for (JsonNode one : input) {
      long tokens = oneInputTokens(one);
      if (tokens <= 0) {
        return 0;
      }
      sum += tokens;
    }
    return sum;
  }

  private static long oneInputTokens(JsonNode input) {
    if (isTokens(input)) {
      for (JsonNode token : input) {
        if (!token.isIntegralNumber()) {
          return 0;
        }
      }
      return input.size();
    }
    return input.isString() ? MockRead.tokens(MockRead.textBytes(input)) : 0;
  }

  @Override
  public boolean chargesOutput() {
    return false;
  }

  @Override
  public long chargedAtArrival(MockAsk.Generate ask) {
    return ask.input().chargedTokens();
  }

  @Override
  public byte[] whole(MockAnswer answer) {
    MockAsk.Generate ask = answer.ask();
    MockBytes out = new MockBytes(512 + ask.answers() * (160 + ask.outputTokens() * 6));
    head(answer, "{", "chat.completion", out);
    for (int i = 0; i < ask.answers(); i++) {
      out.put(i == 0 ? "{\"index\":" : ",{\"index\":").put(i);
      out.put(",\"message\":{\"role\":\"assistant\",");
      MockContent call = MockContent.toolOf(answer);
      if (call == null) {
        out.put("\"content\":\"");
        answer.text().append(out, 0, ask.outputTokens());
        out.put("\"");
      } else {
        out.put("\"content\":null,\"tool_calls\":[{");
        beginCall(answer, i, call, out);
        answer.text().append(out, 0, ask.outputTokens());
        out.put("\"}}]");
      }
      out.put(",\"refusal\":null,\"annotations\":[]},\"logprobs\":null,\"finish_reason\":\"");
      out.put(finish(ask)).put("\"}");
    }
    out.put("],\"usage\":");
    usage(answer, out);
    return out.put("}").toArray();
  }

  private static String finish(MockAsk.Generate ask) {
    boolean calls = ask.said().content() != null && ask.said().content().tool() != null;
    return calls ? "tool_calls" : ask.said().cutShort() ? "length" : "stop";
  }

  /** Appends a call of a tool, up to the beginning of its arguments. */
  private static void beginCall(MockAnswer answer, int index, MockContent call, MockBytes out) {
    out.put("\"id\":\"call_mock_").put(answer.number()).put("_").put(index);
    out.put("\",\"type\":\"function\",\"function\":{\"name\":").put(call.toolName());
    out.put(",\"arguments\":\"");
  }

  private static void head(MockAnswer answer, String start, String object, MockBytes out) {
    out.put(start).put("\"id\":\"chatcmpl-mock-").put(answer.number());
    out.put("\",\"object\":\"").put(object).put("\",\"created\":").put(answer.createdSeconds());
    out.put(",\"model\":").put(answer.model());
    out.put(",\"service_tier\":\"default\",\"system_fingerprint\":\"fp_mock\",\"choices\":[");
  }

  static void usage(MockAnswer answer, MockBytes out) {
    long prompt = answer.ask().input().tokens();
    long completion = answer.outputTokens();
    out.put("{\"prompt_tokens\":").put(prompt).put(",\"completion_tokens\":").put(completion);
    out.put(",\"total_tokens\":").put(prompt + completion);
    out.put(",\"prompt_tokens_details\":{\"cached_tokens\":0,\"audio_tokens\":0}");
    out.put(",\"completion_tokens_details\":{\"reasoning_tokens\":0,\"audio_tokens\":0}}");
  }

  @Override
  public void begin(MockAnswer answer, MockBytes out) {
    for (int i = 0; i < answer.ask().answers(); i++) {
      head(answer, "data: {", "chat.completion.chunk", out);
      out.put("{\"index\":").put(i).put(",\"delta\":{\"role\":\"assistant\",\"refusal\":null");
      MockContent call = MockContent.toolOf(answer);
      if (call == null) {
        out.put(",\"content\":\"").put(EVENT_END);
      } else {
        out.put(",\"content\":null,\"tool_calls\":[{\"index\":0,");
        beginCall(answer, i, call, out);
        out.put(CALL_END);
      }
      endEvent(answer, out);
    }
  }

  /** Ends an event; if the stream will state its usage, every other event has null there. */
  private static void endEvent(MockAnswer answer, MockBytes out) {
    out.put(answer.ask().usageEvent() ? ",\"usage\":null}\n\n" : "}\n\n");
  }

  @Override
  public void tokens(MockAnswer answer, int from, int to, MockBytes out) {
    MockBytes start = new MockBytes(256);
    head(answer, "data: {", "chat.completion.chunk", start);
    byte[] prefix = start.put("{\"index\":").toArray();
    boolean calls = MockContent.toolOf(answer) != null;
    for (int at = from; at < to; at += MockAnswer.TOKENS_PER_EVENT) {
      int until = Math.min(to, at + MockAnswer.TOKENS_PER_EVENT);
      for (int i = 0; i < answer.ask().answers(); i++) {
        out.put(prefix).put(i).put(calls ? CALL_DELTA : ",\"delta\":{\"content\":\"");
        answer.text().append(out, at, until);
        out.put(calls ? CALL_END : EVENT_END);
        endEvent(answer, out);
      }
    }
  }

  @Override
  public void end(MockAnswer answer, MockBytes out) {
    for (int i = 0; i < answer.ask().answers(); i++) {
      head(answer, "data: {", "chat.completion.chunk", out);
      out.put("{\"index\":").put(i).put(",\"delta\":{},\"logprobs\":null,\"finish_reason\":\"");
      out.put(finish(answer.ask())).put("\"}]");
      endEvent(answer, out);
    }
    if (answer.ask().usageEvent()) {
      head(answer, "data: {", "chat.completion.chunk", out);
      out.put("],\"usage\":");
      usage(answer, out);
      out.put("}\n\n");
    }
    out.put("data: [DONE]\n\n");
  }

  @Override
  public byte[] error(MockAsk.Refused refused, String requestId) {
    String type =
        switch (refused.fault()) {
          case BAD_REQUEST, NOT_FOUND, BAD_METHOD, TOO_LARGE -> "invalid_request_error";
          case OVER_REQUESTS -> "requests";
          case OVER_TOKENS -> "tokens";
          case BROKEN -> "server_error";
        };
    String code =
        switch (refused.fault()) {
          case NOT_FOUND -> "unknown_url";
          case BAD_METHOD -> "method_not_supported";
          case OVER_REQUESTS, OVER_TOKENS -> "rate_limit_exceeded";
          case BAD_REQUEST, TOO_LARGE, BROKEN -> null;
        };
    Map<String, @Nullable String> error = new LinkedHashMap<>();
    error.put("message", refused.message());
    error.put("type", type);
    error.put("param", refused.param());
    error.put("code", code);
    return JsonMapper.shared().writeValueAsBytes(Map.of("error", error));
  }

  @Override
  public String requestIdHeader() {
    return "x-request-id";
  }

  @Override
  public void limits(MockLimit.Verdict verdict, long unixMillis, HttpHeaders headers) {
    level("requests", verdict.requests(), headers);
    level("tokens", verdict.tokens(), headers);
    if (verdict.binding() != null && verdict.retryNanos() >= 0) {
      long millis = MockTimes.millis(verdict.retryNanos());
      headers.set("retry-after", MockTimes.seconds(verdict.retryNanos()));
      headers.set("retry-after-ms", millis);
    }
  }

  private static void level(String what, MockLimit.@Nullable Level level, HttpHeaders headers) {
    if (level != null) {
      headers.set("x-ratelimit-limit-" + what, level.limit());
      headers.set("x-ratelimit-remaining-" + what, level.remaining());
      headers.set("x-ratelimit-reset-" + what, MockTimes.goDuration(level.resetNanos()));
    }
  }
}
