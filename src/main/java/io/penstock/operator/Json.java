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

/** What is answered, as JSON in snake_case, its keys in the order of the record's components. */
final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .build();

  /** What is said twice is not clear: each reader takes another one. */
  private static final JsonMapper READER =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private Json() {}

  /** Reads JSON in which no member is there twice; null when it is none. */
  static @Nullable JsonNode parsed(byte[] json) {
    try {
      return READER.readTree(json);
    } catch (JacksonException unreadable) {
      return null;
    }
  }

  /** Returns one line. */
  static String text(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  /** Returns a body; its line ends, for those who read it in a terminal. */
  static byte[] bytes(Object value) {
    return (text(value) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** Answers 200. */
  static Mono<ServerResponse> answer(Object value) {
    return answer(HttpStatus.OK, value);
  }

  /** Answers with a status. */
  static Mono<ServerResponse> answer(HttpStatus status, Object value) {
    return ServerResponse.status(status)
        .contentType(MediaType.APPLICATION_JSON)
        .cacheControl(CacheControl.noStore())
        .bodyValue(bytes(value));
  }
}
