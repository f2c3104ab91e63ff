package io.penstock.mock;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Gemini's content, vectors and counting of tokens. */
final class MockGemini implements MockDialect {
  private static final byte[] MODELS =
      """
      {"models":[\
      {"name":"models/mock","displayName":"Mock",\
      "supportedGenerationMethods":["generateContent","countTokens"]},\
      {"name":"models/mock-embedding","displayName":"Mock embedding",\
      "supportedGenerationMethods":["embedContent","batchEmbedContents"]}]}\
      """
          .getBytes(US_ASCII);

  private static final Pattern MODEL = Pattern.compile("/v1(?:beta)?/models/([^/:]{1,256})");
  private static final Pattern CALL =
      Pattern.compile("/v1(?:beta)?/(?:models|tunedModels)/([^/:]{1,256}):([A-Za-z]+)");
  private static final MockTools.Members FUNCTION =
      new MockTools.Members(
          "", List.of("parameters", "parametersJsonSchema", "parameters_json_schema"));
  private static final int MAX_ANSWERS = 8;
  private static final int MAX_OUTPUT_TOKENS = 1_000_000;
  private static final int MAX_INPUTS = 100;
  private static final int MAX_DIMENSIONS = 3_072;
  private static final int TOKENS_PER_CONTENT = 4;
  private static final int VECTORS_PER_PIECE = 16;

  @Override
  public @Nullable Function<JsonNode, MockAsk> reader(
      String path, String query, MockAddress address) {
    Matcher call = CALL.matcher(path);
    if (!call.matches()) {
      return null;
    }
    String model = call.group(1);
    boolean events = Arrays.asList(query.split("&", -1)).contains("alt=sse");
    MockForm form = events ? MockGeminiForm.EVENTS : MockGeminiForm.LIST;
    return switch (call.group(2)) {
      case "generateContent" -> body -> generate(body, model, address, MockGeminiForm.LIST, false);
      case "streamGenerateContent" -> body -> generate(body, model, address, form, true);
      case "countTokens" -> MockGemini::count;
      case "embedContent" -> body -> embed(body, model);
      case "batchEmbedContents" -> body -> embedAll(body, model);
      default -> null;
    };
  }

  @Override
  public byte @Nullable [] models(String path) {
    if (path.equals("/v1beta/models") || path.equals("/v1/models")) {
      return MODELS;
    }
    Matcher one = MODEL.matcher(path);
    return one.matches()
        ? JsonMapper.shared()
            .writeValueAsBytes(
                Map.of(
                    "name",
                    "models/" + one.group(1),
                    "displayName",
                    one.group(1),
                    "supportedGenerationMethods",
                    List.of("generateContent", "countTokens", "embedContent")))
        : null;
  }

  private static MockAsk generate(
      JsonNode body, String model, MockAddress address, MockForm form, boolean stream) {
    int tokens = address.tokens();
    JsonNode config = either(body, "generationConfig", "generation_config");
    long prompt = promptTokens(body);
    MockAsk.Refused wrong =
        MockRead.first(
            prompt < 0 ? noContents() : null,
            MockRead.number(config, "maxOutputTokens", Integer.MAX_VALUE),
            MockRead.number(config, "candidateCount", MAX_ANSWERS));
    if (wrong != null) {
      return wrong;
    }
    int output = Math.min(tokens, MockRead.value(config, "maxOutputTokens", tokens));
    int answers = MockRead.value(config, "candidateCount", 1);
    if ((long) output * answers > MAX_OUTPUT_TOKENS) {
      return MockAsk.Refused.bad(
          "candidateCount", "candidateCount: expected fewer tokens than 1000000 together.");
    }
    return new MockAsk.Generate(
            form,
            model,
            new MockAsk.Input(prompt, prompt, null),
            output,
            MockAsk.Said.words(output < tokens),
            answers,
            stream,
            true)
        .saying(
            MockRead.value(config, "maxOutputTokens", 0),
            call(body, address.callsTools()),
            document(config));
  }

  private static @Nullable MockContent call(JsonNode body, boolean offered) {
    JsonNode calling =
        either(
            either(body, "toolConfig", "tool_config"),
            "functionCallingConfig",
            "function_calling_config");
    if (MockTools.any(body.path("contents"), "parts", "functionResponse", null)
        || MockTools.any(body.path("contents"), "parts", "function_response", null)) {
      return null;
    }
    JsonNode only = either(calling, "allowedFunctionNames", "allowed_function_names");
    MockTools.Choice choice =
        MockTools.Choice.of(
            calling.path("mode").stringValue(""), only.path(0).stringValue(""), offered);
    for (JsonNode tool : body.path("tools")) {
      JsonNode functions = either(tool, "functionDeclarations", "function_declarations");
      MockContent call = MockTools.call(functions, FUNCTION, choice);
      if (call != null) {
        return call;
      }
    }
    return null;
  }

  private static @Nullable MockContent document(JsonNode config) {
    String type = either(config, "responseMimeType", "response_mime_type").stringValue("");
    JsonNode schema = either(config, "responseSchema", "response_schema");
    return MockContent.document(
        type.equals("application/json"),
        schema.isMissingNode()
            ? either(config, "responseJsonSchema", "response_json_schema")
            : schema);
  }

  private static JsonNode either(JsonNode body, String name, String inSnakeCase) {
    JsonNode member = body.path(name);
    return member.isMissingNode() ? body.path(inSnakeCase) : member;
  }

  private static MockAsk.Refused noContents() {
    return MockAsk.Refused.bad("contents", "contents: expected a list of at least one content.");
  }

  /** Returns the number of tokens of a request's text, or −1 if it has no contents. */
  private static long promptTokens(JsonNode body) {
    JsonNode contents = body.path("contents");
    JsonNode system = either(body, "systemInstruction", "system_instruction");
    long bytes = MockRead.textBytes(system.path("parts")) + MockRead.jsonBytes(body.path("tools"));
    for (JsonNode content : contents) {
      bytes += MockRead.textBytes(content.path("parts"));
    }
    return contents.isArray() && !contents.isEmpty()
        ? MockRead.tokens(bytes) + (long) TOKENS_PER_CONTENT * contents.size()
        : -1;
  }

  private static MockAsk count(JsonNode body) {
    JsonNode whole = either(body, "generateContentRequest", "generate_content_request");
    long prompt = promptTokens(whole.isMissingNode() ? body : whole);
    return prompt < 0 ? noContents() : new MockAsk.Count(prompt);
  }

  private static MockAsk embed(JsonNode body, String model) {
    MockAsk.Refused wrong = MockRead.number(body, "outputDimensionality", MAX_DIMENSIONS);
    long bytes = MockRead.textBytes(body.path("content").path("parts"));
    if (wrong == null && bytes == 0) {
      wrong = MockAsk.Refused.bad("content", "content: expected text.");
    }
    return wrong == null
        ? new MockAsk.Embed(model, MockRead.tokens(bytes), 1, dimensions(body), false, false)
        : wrong;
  }

  private static int dimensions(JsonNode body) {
    return MockRead.value(body, "outputDimensionality", MAX_DIMENSIONS);
  }

  private static MockAsk embedAll(JsonNode body, String model) {
    JsonNode requests = body.path("requests");
    if (!requests.isArray() || requests.isEmpty() || requests.size() > MAX_INPUTS) {
      return MockAsk.Refused.bad(
          "requests", "requests: expected a list of 1 to " + MAX_INPUTS + " requests.");
    }
    long prompt = 0;
    for (JsonNode request : requests) {
      switch (embed(request, model)) {
        case MockAsk.Embed one -> prompt += one.promptTokens();
        case MockAsk refused -> {
          return refused;
        }
      }
    }
    int dimensions = dimensions(requests.path(0));
    return new MockAsk.Embed(model, prompt, requests.size(), dimensions, false, true);
  }

  @Override
  public Flux<byte[]> vectors(MockAsk.Embed ask) {
    byte[] vector = MockVectors.vector(ask.dimensions(), false);
    int pieces = Math.ceilDiv(ask.inputs(), VECTORS_PER_PIECE);
    return Flux.range(0, pieces).map(piece -> piece(ask, vector, piece * VECTORS_PER_PIECE));
  }

  private static byte[] piece(MockAsk.Embed ask, byte[] vector, int from) {
    int to = Math.min(ask.inputs(), from + VECTORS_PER_PIECE);
    MockBytes out = new MockBytes((to - from) * (vector.length + 64) + 256);
    String start = ask.list() ? "{\"embeddings\":[{\"values\":" : "{\"embedding\":{\"values\":";
    for (int i = from; i < to; i++) {
      out.put(i == 0 ? start : ",{\"values\":").put(vector).put("}");
    }
    if (to == ask.inputs()) {
      out.put(ask.list() ? "]" : "");
      out.put(",\"usageMetadata\":{\"promptTokenCount\":").put(ask.promptTokens()).put("}}");
    }
    return out.toArray();
  }

  @Override
  public byte[] counted(long tokens) {
    return JsonMapper.shared().writeValueAsBytes(Map.of("totalTokens", tokens));
  }

  /** Returns false, because only input counts against Gemini's limit of tokens. */
  @Override
  public boolean chargesOutput() {
    return false;
  }

  @Override
  public long chargedAtArrival(MockAsk.Generate ask) {
    return ask.input().tokens();
  }

  @Override
  public byte[] error(MockAsk.Refused refused, String requestId) {
    String status =
        switch (refused.fault()) {
          case BAD_REQUEST, TOO_LARGE -> "INVALID_ARGUMENT";
          case NOT_FOUND -> "NOT_FOUND";
          case BAD_METHOD -> "UNIMPLEMENTED";
          case OVER_REQUESTS, OVER_TOKENS -> "RESOURCE_EXHAUSTED";
          case BROKEN -> "INTERNAL";
        };
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("code", refused.fault().status);
    error.put("message", refused.message());
    error.put("status", status);
    if (status.equals("RESOURCE_EXHAUSTED")) {
      error.put("details", details(refused));
    }
    return JsonMapper.shared().writeValueAsBytes(Map.of("error", error));
  }

  private static List<Map<String, Object>> details(MockAsk.Refused refused) {
    boolean tokens = refused.fault() == MockAsk.Fault.OVER_TOKENS;
    String metric = tokens ? "generate_content_input_token_count" : "generate_content_requests";
    String quota =
        (tokens ? "GenerateContentInputTokens" : "GenerateRequests")
            + "PerMinutePerProjectPerModel";
    Map<String, Object> failure =
        Map.of(
            "@type",
            "type.googleapis.com/google.rpc.QuotaFailure",
            "violations",
            List.of(
                Map.of(
                    "quotaMetric",
                    "generativelanguage.googleapis.com/" + metric,
                    "quotaId",
                    quota)));
    return refused.retryNanos() < 0
        ? List.of(failure)
        : List.of(
            failure,
            Map.of(
                "@type",
                "type.googleapis.com/google.rpc.RetryInfo",
                "retryDelay",
                MockTimes.protoSeconds(refused.retryNanos())));
  }

  @Override
  public String requestIdHeader() {
    return "x-request-id";
  }

  /** Gemini does not state what is left; the time to retry is also in the error. */
  @Override
  public void limits(MockLimit.Verdict verdict, long unixMillis, HttpHeaders headers) {
    if (verdict.binding() != null && verdict.retryNanos() >= 0) {
      headers.set("retry-after", MockTimes.seconds(verdict.retryNanos()));
    }
  }
}
