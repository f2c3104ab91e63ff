package io.penstock.provider;

import io.penstock.cost.Dialect;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A call that asks a provider to count the input of a request, derived from that request. Sources:
 * Anthropic's <i>Count tokens in a Message</i>, Gemini's {@code models.countTokens}, OpenAI's
 * <i>Get input token counts</i> in their API references.
 *
 * @param path path of the call, raw
 * @param model the upstream's own name of the model, as written in the body
 * @param members members of the request that the call accepts besides the model; null for all
 * @param around the member in which the request is wrapped, or null if the request is the body
 *     itself
 * @param result the member of the answer that holds the tokens
 */
record CountCall(
    String path,
    String model,
    @Nullable Set<String> members,
    @Nullable String around,
    String result) {
  private static final Set<String> ANTHROPIC =
      Set.of("system", "messages", "tools", "tool_choice", "thinking");

  private static final Set<String> RESPONSES =
      Set.of(
          "input",
          "instructions",
          "tools",
          "tool_choice",
          "parallel_tool_calls",
          "previous_response_id",
          "conversation",
          "reasoning",
          "text",
          "truncation");

  private static final String MODELS = "/models/";

  /** Returns the call for a request to {@code path}, raw, or null if the provider has none. */
  static @Nullable CountCall of(Dialect dialect, String path, String ownModel) {
    String trimmed = path.replaceAll("/+$", "");
    return switch (dialect) {
      case ANTHROPIC ->
          trimmed.endsWith("/messages")
              ? new CountCall(trimmed + "/count_tokens", ownModel, ANTHROPIC, null, "input_tokens")
              : null;
      case OPENAI ->
          trimmed.endsWith("/responses")
              ? new CountCall(trimmed + "/input_tokens", ownModel, RESPONSES, null, "input_tokens")
              : null;
      case GEMINI -> gemini(trimmed, ownModel);
      case AZURE, NONE -> null;
    };
  }

  private static @Nullable CountCall gemini(String path, String ownModel) {
    int models = path.lastIndexOf(MODELS);
    String lower = path.toLowerCase(Locale.ROOT);
    if (models < 0 || !(lower.endsWith(":generatecontent") || lower.contains(":streamgenerate"))) {
      return null;
    }
    String name = URLEncoder.encode(ownModel, StandardCharsets.UTF_8).replace("+", "%20");
    return new CountCall(
        path.substring(0, models + MODELS.length()) + name + ":countTokens",
        "models/" + ownModel,
        null,
        "generateContentRequest",
        "totalTokens");
  }

  /**
   * Returns the body of the call.
   *
   * @throws JacksonException if the request is not JSON
   */
  byte[] body(byte[] request) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(Math.max(256, request.length));
    JsonMapper mapper = JsonMapper.shared();
    try (JsonParser from = mapper.createParser(request);
        JsonGenerator to = mapper.createGenerator(out)) {
      to.writeStartObject();
      if (around != null) {
        to.writeName(around);
        to.writeStartObject();
      }
      to.writeStringProperty("model", model);
      copy(from, to);
      if (around != null) {
        to.writeEndObject();
      }
      to.writeEndObject();
    }
    return out.toByteArray();
  }

  private void copy(JsonParser from, JsonGenerator to) {
    from.nextToken();
    while (from.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = from.currentName();
      from.nextToken();
      if (!name.equals("model") && (members == null || members.contains(name))) {
        to.writeName(name);
        to.copyCurrentStructure(from);
      } else {
        from.skipChildren();
      }
    }
  }

  /** Returns the token count in an answer, or −1 if there is no valid one. */
  long tokens(byte[] answer) {
    try {
      JsonNode tokens = JsonMapper.shared().readTree(answer).path(result);
      return tokens.isIntegralNumber() && tokens.canConvertToLong() && tokens.longValue() >= 0
          ? tokens.longValue()
          : -1;
    } catch (JacksonException unreadable) {
      return -1;
    }
  }
}
