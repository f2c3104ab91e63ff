package io.penstock.mock;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Content of an answer that is more than words: a JSON document, or a call of a tool.
 *
 * @param tool the name of the tool that is called; null when the content is a document
 * @param json the document, or the arguments of the call, in ASCII
 */
record MockContent(@Nullable String tool, String json) {
  /** Returns a document that satisfies a schema, or null when no document is asked for. */
  static @Nullable MockContent document(boolean asked, JsonNode schema) {
    return asked ? new MockContent(null, MockSchema.document(schema)) : null;
  }

  /** Returns a call of a tool whose arguments satisfy its schema. */
  static MockContent call(String tool, JsonNode schema) {
    return new MockContent(tool, MockSchema.document(schema));
  }

  /** Returns the name of the tool as JSON. */
  String toolName() {
    return JsonMapper.shared().writeValueAsString(tool);
  }

  /** Returns its text, as it stands within a string of JSON. */
  MockText text() {
    return MockText.within(json);
  }

  /** Returns the number of its tokens, ≥ 1. */
  int tokens() {
    return MockText.tokensWithin(json);
  }

  /** Returns the call of a tool that an answer consists of, or null. */
  static @Nullable MockContent toolOf(MockAnswer answer) {
    MockContent content = answer.ask().said().content();
    return content == null || content.tool() == null ? null : content;
  }
}
