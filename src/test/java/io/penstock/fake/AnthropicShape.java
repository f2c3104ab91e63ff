package io.penstock.fake;

import tools.jackson.databind.JsonNode;

/** Anthropic's messages. */
final class AnthropicShape implements ProviderShape {
  @Override
  public Ask read(String path, JsonNode body) {
    long input = 0;
    for (JsonNode message : body.path("messages")) {
      input += 4 + ProviderShape.tokens(message.path("content").asString());
    }
    return new Ask(
        body.path("model").asString(),
        input,
        1,
        body.path("max_tokens").asInt(),
        body.path("stream").asBoolean(false));
  }

  @Override
  public String write(String path, Ask ask, JsonNode request) {
    return ask.stream() ? streamed(ask) : whole(ask);
  }

  private static String whole(Ask ask) {
    String text = ProviderShape.words(ask.maxTokens());
    return message(ask, "[{\"type\":\"text\",\"text\":\"" + text + "\"}]", "\"max_tokens\"");
  }

  private static String message(Ask ask, String content, String stop) {
    long output = content.equals("[]") ? 1 : ask.outputTokens();
    return """
    {"id":"msg_1","type":"message","role":"assistant","model":"%s","content":%s,\
    "stop_reason":%s,"stop_sequence":null,\
    "usage":{"input_tokens":%d,"cache_creation_input_tokens":0,\
    "cache_read_input_tokens":0,"output_tokens":%d}}\
    """
        .formatted(ask.model(), content, stop, ask.inputTokens(), output);
  }

  private static String streamed(Ask ask) {
    StringBuilder events = new StringBuilder();
    event(events, "message_start", "\"message\":" + message(ask, "[]", "null"));
    event(
        events,
        "content_block_start",
        "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}");
    for (int left = ask.maxTokens(); left > 0; left -= 50) {
      String words = ProviderShape.words(Math.min(50, left));
      event(
          events,
          "content_block_delta",
          "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"" + words + "\"}");
    }
    event(events, "content_block_stop", "\"index\":0");
    event(
        events,
        "message_delta",
        "\"delta\":{\"stop_reason\":\"max_tokens\",\"stop_sequence\":null},"
            + "\"usage\":{\"output_tokens\":"
            + ask.outputTokens()
            + "}");
    events.append("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
    return events.toString();
  }

  private static void event(StringBuilder events, String type, String members) {
    events.append("event: ").append(type).append("\ndata: {\"type\":\"").append(type);
    events.append("\",").append(members).append("}\n\n");
  }

  @Override
  public String refusal() {
    return """
    {"type":"error","error":{"type":"rate_limit_error","message":"Number of tokens has\
     exceeded your rate limit"},"request_id":"req_1"}\
    """;
  }
}
