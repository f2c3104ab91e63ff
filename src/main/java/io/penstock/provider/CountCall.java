package io.penstock.provider;

import java.io.ByteArrayOutputStream;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A call that asks a provider to count the input of a request, derived from that request.
 *
 * @param path path of the call, raw
 * @param model the upstream's own name of the model, as written in the body
 * @param members members of the request that the call accepts besides the model; null for all
 * @param around the member in which the request is wrapped, or null if the request is the body
 *     itself
 * @param result the member of the answer that holds the tokens
 */
public record CountCall(
    String path,
    String model,
    @Nullable Set<String> members,
    @Nullable String around,
    String result) {
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
