package io.penstock.provider.answer;

import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * An error that an answer states although its status says that all is well.
 *
 * @param status the status that such an error has where it is one by its status, ≥ 400
 * @param json the error in the common shape {@code {"error":{…}}}, with the first 2,000 characters
 *     of what it says
 */
public record AnswerError(int status, String json) {
  /** Returns the error with those members. */
  static AnswerError of(JsonNode members) {
    return of(ErrorStatus.of(members), members);
  }

  /** Returns the error with that status and those members. */
  static AnswerError of(int status, JsonNode members) {
    return new AnswerError(
        status, JsonNodeFactory.instance.objectNode().set("error", members).toString());
  }

  /** Returns the error as the body of an answer that is an error by its status. */
  public byte[] body() {
    return json.getBytes(StandardCharsets.UTF_8);
  }
}
