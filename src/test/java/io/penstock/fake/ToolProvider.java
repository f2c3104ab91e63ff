package io.penstock.fake;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.matchingJsonPath;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathEqualTo;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathMatching;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.MappingBuilder;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;

/**
 * A provider of every dialect that plays one conversation: it calls the tool {@code weather} for
 * the town Delft, answers with the tool's result, and fills in a schema with the properties {@code
 * town} and {@code degrees}. Requests without the tool, its result or the schema get a 404. Each
 * answer states 11 input tokens and 7 output tokens.
 */
public final class ToolProvider implements AutoCloseable {
  /** Total of input and output tokens that each answer states. */
  public static final long TOKENS = 18;

  private static final String TOLD = "It is 11 degrees in Delft.";
  private static final String FILLED_IN = "{\\\"town\\\":\\\"Delft\\\",\\\"degrees\\\":11}";

  /** The arguments of the call in two pieces, each escaped for a JSON string. */
  private static final String ARGUMENTS_START = "{\\\"town\\\":";

  private static final String ARGUMENTS_END = "\\\"Delft\\\"}";

  private final WireMockServer server =
      new WireMockServer(
          WireMockConfiguration.options()
              .dynamicPort()
              .bindAddress("127.0.0.1")
              .gzipDisabled(true));

  private ToolProvider() {
    server.start();
    openAi();
    anthropic();
    gemini();
  }

  /** Starts one on a free port of this machine. */
  public static ToolProvider start() {
    return new ToolProvider();
  }

  /** Returns its URL, without a slash at the end. */
  public String url() {
    return "http://127.0.0.1:" + server.port();
  }

  @Override
  public void close() {
    server.stop();
  }

  private void json(MappingBuilder asked, String body) {
    server.stubFor(
        asked.willReturn(
            aResponse().withHeader("Content-Type", "application/json").withBody(body)));
  }

  private void events(MappingBuilder asked, String events) {
    server.stubFor(
        asked.willReturn(
            aResponse().withHeader("Content-Type", "text/event-stream").withBody(events)));
  }

  private void openAi() {
    String tool = "$.tools[?(@.function.name == 'weather')]";
    json(
        openAiCall(2).withRequestBody(matchingJsonPath(tool)),
        completion(
            "\"content\":null,\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\","
                + "\"function\":{\"name\":\"weather\",\"arguments\":\""
                + (ARGUMENTS_START + ARGUMENTS_END)
                + "\"}}]",
            "tool_calls"));
    String result =
        "$.messages[?(@.role == 'tool' && @.tool_call_id == 'call_1' && @.content == '11"
            + " degrees')]";
    json(
        openAiCall(1).withRequestBody(matchingJsonPath(result)),
        completion("\"content\":\"" + TOLD + "\"", "stop"));
    // the gateway asks for the usage, although the client did not
    events(
        openAiCall(1)
            .withRequestBody(matchingJsonPath("$[?(@.stream == true)]"))
            .withRequestBody(matchingJsonPath("$.stream_options[?(@.include_usage == true)]"))
            .withRequestBody(matchingJsonPath(tool)),
        """
        data: {CHUNK,"choices":[{"index":0,"delta":{"role":"assistant","content":null,\
        "tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"weather",\
        "arguments":""}}]},"finish_reason":null}],"usage":null}

        data: {CHUNK,"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":\
        {"arguments":"START"}}]},"finish_reason":null}],"usage":null}

        data: {CHUNK,"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":\
        {"arguments":"END"}}]},"finish_reason":null}],"usage":null}

        data: {CHUNK,"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":null}

        data: {CHUNK,"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,\
        "total_tokens":18}}

        data: [DONE]

        """
            .replace(
                "CHUNK",
                "\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,"
                    + "\"model\":\"gpt-4o\"")
            .replace("START", ARGUMENTS_START)
            .replace("END", ARGUMENTS_END));
    json(
        openAiCall(2)
            .withRequestBody(matchingJsonPath("$.response_format[?(@.type == 'json_schema')]"))
            .withRequestBody(matchingJsonPath("$.response_format.json_schema[?(@.strict == true)]"))
            .withRequestBody(
                matchingJsonPath("$.response_format.json_schema.schema.properties.town"))
            .withRequestBody(
                matchingJsonPath("$.response_format.json_schema.schema.properties.degrees")),
        completion("\"content\":\"" + FILLED_IN + "\"", "stop"));
  }

  private static MappingBuilder openAiCall(int priority) {
    return post(urlPathEqualTo("/v1/chat/completions")).atPriority(priority);
  }

  private static String completion(String message, String finishReason) {
    return """
    {"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"gpt-4o",\
    "choices":[{"index":0,"message":{"role":"assistant",MESSAGE},"finish_reason":"REASON"}],\
    "usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}\
    """
        .replace("MESSAGE", message)
        .replace("REASON", finishReason);
  }

  private void anthropic() {
    String tool =
        "$.tools[?(@.name == 'weather' && @.input_schema.properties.town.type == 'string')]";
    json(
        anthropicCall(2).withRequestBody(matchingJsonPath(tool)),
        message(
            "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"weather\","
                + "\"input\":{\"town\":\"Delft\"}}",
            "tool_use"));
    String result =
        "$.messages[2].content[?(@.type == 'tool_result' && @.tool_use_id == 'toolu_1'"
            + " && @.content == '11 degrees')]";
    json(
        anthropicCall(1).withRequestBody(matchingJsonPath(result)),
        message("{\"type\":\"text\",\"text\":\"" + TOLD + "\"}", "end_turn"));
    events(
        anthropicCall(1)
            .withRequestBody(matchingJsonPath("$[?(@.stream == true)]"))
            .withRequestBody(matchingJsonPath(tool)),
        """
        event: message_start
        data: {"type":"message_start","message":{"id":"msg_1","type":"message",\
        "role":"assistant","model":"claude-sonnet-5","content":[],"stop_reason":null,\
        "stop_sequence":null,"usage":{"input_tokens":11,"output_tokens":1}}}

        event: content_block_start
        data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use",\
        "id":"toolu_1","name":"weather","input":{}}}

        event: content_block_delta
        data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta",\
        "partial_json":"START"}}

        event: content_block_delta
        data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta",\
        "partial_json":"END"}}

        event: content_block_stop
        data: {"type":"content_block_stop","index":0}

        event: message_delta
        data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},\
        "usage":{"output_tokens":7}}

        event: message_stop
        data: {"type":"message_stop"}

        """
            .replace("START", ARGUMENTS_START)
            .replace("END", ARGUMENTS_END));
    String schema = "$.output_config.format.schema.properties.";
    json(
        anthropicCall(2)
            .withRequestBody(matchingJsonPath("$.output_config.format[?(@.type == 'json_schema')]"))
            .withRequestBody(matchingJsonPath(schema + "town"))
            .withRequestBody(matchingJsonPath(schema + "degrees")),
        message("{\"type\":\"text\",\"text\":\"" + FILLED_IN + "\"}", "end_turn"));
  }

  private static MappingBuilder anthropicCall(int priority) {
    return post(urlPathEqualTo("/v1/messages")).atPriority(priority);
  }

  private static String message(String block, String stopReason) {
    return """
    {"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-5",\
    "content":[BLOCK],"stop_reason":"REASON","stop_sequence":null,\
    "usage":{"input_tokens":11,"output_tokens":7}}\
    """
        .replace("BLOCK", block)
        .replace("REASON", stopReason);
  }

  private void gemini() {
    String tool = "$.tools[*].functionDeclarations[?(@.name == 'weather')]";
    String call = "{\"functionCall\":{\"name\":\"weather\",\"args\":{\"town\":\"Delft\"}}}";
    json(geminiCall("generateContent", 2).withRequestBody(matchingJsonPath(tool)), content(call));
    String result = "$.contents[2].parts[?(@.functionResponse.response.result == '11 degrees')]";
    json(
        geminiCall("generateContent", 1).withRequestBody(matchingJsonPath(result)),
        content("{\"text\":\"" + TOLD + "\"}"));
    events(
        geminiCall("streamGenerateContent", 1).withRequestBody(matchingJsonPath(tool)),
        "data: " + content(call) + "\r\n\r\n");
    String config = "$.generationConfig";
    json(
        geminiCall("generateContent", 2)
            .withRequestBody(
                matchingJsonPath(config + "[?(@.responseMimeType == 'application/json')]"))
            .withRequestBody(matchingJsonPath(config + ".responseSchema.properties.town"))
            .withRequestBody(matchingJsonPath(config + ".responseSchema.properties.degrees")),
        content("{\"text\":\"" + FILLED_IN + "\"}"));
  }

  private static MappingBuilder geminiCall(String method, int priority) {
    return post(urlPathMatching("/v1(?:beta)?/models/[^/]+:" + method)).atPriority(priority);
  }

  private static String content(String part) {
    return """
    {"candidates":[{"index":0,"content":{"role":"model","parts":[PART]},"finishReason":"STOP"}],\
    "usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCount":18}}\
    """
        .replace("PART", part);
  }
}
