package io.penstock.fake;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;

/** OpenAI's chat completions and embeddings. */
final class OpenAiShape implements ProviderShape {
  private static final String FINISH = "\"finish_reason\":\"length\"";

  private static boolean embeds(String path) {
    return path.contains("/embeddings");
  }

  @Override
  public Ask read(String path, JsonNode body) {
    String model = body.path("model").asString();
    if (embeds(path)) {
      return new Ask(model, ProviderShape.tokens(body.path("input").asString()), 1, 0, false);
    }
    long input = 0;
    for (JsonNode message : body.path("messages")) {
      input += 4 + ProviderShape.tokens(message.path("content").asString());
    }
    int max = body.path("max_completion_tokens").asInt(16);
    return new Ask(
        model, input, body.path("n").asInt(1), max, body.path("stream").asBoolean(false));
  }

  @Override
  public String write(String path, Ask ask, JsonNode request) {
    if (embeds(path)) {
      return """
      {"object":"list","model":"%s","data":[{"object":"embedding","index":0,\
      "embedding":[0.5,-0.5]}],"usage":{"prompt_tokens":%d,"total_tokens":%d}}\
      """
          .formatted(ask.model(), ask.inputTokens(), ask.inputTokens());
    }
    boolean usage = request.path("stream_options").path("include_usage").asBoolean(false);
    return ask.stream() ? streamed(ask, usage) : whole(ask);
  }

  private static String whole(Ask ask) {
    String choices =
        IntStream.range(0, ask.answers())
            .mapToObj(
                index ->
                    """
                    {"index":%d,"message":{"role":"assistant","content":"%s","refusal":null},\
                    "logprobs":null,%s}\
                    """
                        .formatted(index, ProviderShape.words(ask.maxTokens()), FINISH))
            .collect(Collectors.joining(","));
    return """
    {"id":"chat-1","object":"chat.completion","created":1735689600,"model":"%s",\
    "choices":[%s],"usage":%s}\
    """
        .formatted(ask.model(), choices, usage(ask));
  }

  private static String usage(Ask ask) {
    return String.format(
        Locale.ROOT,
        "{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"total_tokens\":%d}",
        ask.inputTokens(),
        ask.outputTokens(),
        ask.inputTokens() + ask.outputTokens());
  }

  private static String streamed(Ask ask, boolean usage) {
    StringBuilder events = new StringBuilder();
    for (int index = 0; index < ask.answers(); index++) {
      for (int left = ask.maxTokens(); left > 0; left -= 50) {
        String words = ProviderShape.words(Math.min(50, left));
        events.append(chunk(ask, choice(index, "{\"content\":\"" + words + "\"}", "null"), "null"));
      }
      events.append(chunk(ask, choice(index, "{}", "\"length\""), "null"));
    }
    if (usage) {
      events.append(chunk(ask, "", usage(ask)));
    }
    return events.append("data: [DONE]\n\n").toString();
  }

  private static String choice(int index, String delta, String finish) {
    return "{\"index\":%d,\"delta\":%s,\"finish_reason\":%s}".formatted(index, delta, finish);
  }

  private static String chunk(Ask ask, String choices, String usage) {
    return """
    data: {"id":"chat-1","object":"chat.completion.chunk","created":1735689600,\
    "model":"%s","choices":[%s],"usage":%s}

    """
        .formatted(ask.model(), choices, usage);
  }

  @Override
  public String refusal() {
    return """
    {"error":{"message":"Rate limit reached","type":"tokens","param":null,\
    "code":"rate_limit_exceeded"}}\
    """;
  }
}
