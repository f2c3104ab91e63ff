package io.penstock.operator;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes answers as JSON in snake_case, with keys in the order of the record's components, and
 * reads JSON.
 */
final class OperatorJson {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .build();

  /** Rejects duplicate members, because different parsers choose different ones. */
  private static final JsonMapper READER =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private OperatorJson() {}

  /** Parses JSON without duplicate members; returns null if it is invalid. */
  static @Nullable JsonNode parsed(byte[] json) {
    try {
      return READER.readTree(json);
    } catch (JacksonException unreadable) {
      return null;
    }
  }

  /** Returns a new object, which keeps the order in which members are put. */
  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /** Returns a new array. */
  static ArrayNode array() {
    return MAPPER.createArrayNode();
  }

  /** Returns a value as a tree of JSON nodes. */
  static JsonNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }

  /** Returns a value as JSON on one line. */
  static String text(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  /** Returns a value as a body, with a line end for readers in a terminal. */
  static byte[] bytes(Object value) {
    return (text(value) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** Answers with status 200. */
  static Mono<ServerResponse> answer(Object value) {
    return answer(HttpStatus.OK, value);
  }

  /** Answers with the given status. */
  static Mono<ServerResponse> answer(HttpStatus status, Object value) {
    return ServerResponse.status(status)
        .contentType(MediaType.APPLICATION_JSON)
        .cacheControl(CacheControl.noStore())
        .bodyValue(bytes(value));
  }
}
