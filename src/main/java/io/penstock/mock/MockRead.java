package io.penstock.mock;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads request bodies and counts their text, independently of the gateway's rules. */
final class MockRead {
  /** Size of the largest accepted body, in bytes. */
  static final int MAX_BODY_BYTES = 64 << 20;

  private static final int MAX_MODEL_CHARS = 256;
  private static final int BYTES_PER_TOKEN = 4;
  static final int TOKENS_PER_MESSAGE = 4;

  /** Members of messages and parts that hold calls of tools and their results. */
  private static final List<String> OF_TOOLS =
      List.of(
          "tool_calls",
          "function_call",
          "functionCall",
          "functionResponse",
          "input",
          "arguments",
          "output");

  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxStringLength(MAX_BODY_BYTES).build())
                  .build())
          .build();

  private MockRead() {}

  /**
   * Returns the request that {@code reader} finds in a body, or an error if the body is not a JSON
   * object.
   */
  static MockAsk body(byte[] body, Function<JsonNode, MockAsk> reader) {
    JsonNode tree;
    try {
      tree = JSON.readTree(body);
    } catch (JacksonException e) {
      return new MockAsk.Refused(
          MockAsk.Fault.BAD_REQUEST, null, "The body is not JSON: " + e.getOriginalMessage());
    }
    if (!tree.isObject()) {
      return new MockAsk.Refused(MockAsk.Fault.BAD_REQUEST, null, "The body is not a JSON object.");
    }
    return reader.apply(tree);
  }

  /** Returns what is wrong with the model's name, or null. */
  static MockAsk.@Nullable Refused model(JsonNode body) {
    JsonNode model = body.path("model");
    if (!model.isString() || model.stringValue().isEmpty()) {
      return MockAsk.Refused.bad("model", "model: expected the name of a model.");
    }
    if (model.stringValue().length() > MAX_MODEL_CHARS) {
      return MockAsk.Refused.bad(
          "model", "model: expected at most " + MAX_MODEL_CHARS + " characters.");
    }
    return null;
  }

  /** Returns what is wrong with the messages, or null. */
  static MockAsk.@Nullable Refused messages(JsonNode body) {
    JsonNode messages = body.path("messages");
    if (!messages.isArray() || messages.isEmpty()) {
      return MockAsk.Refused.bad("messages", "messages: expected a list of at least one message.");
    }
    for (JsonNode message : messages) {
      if (!message.path("role").isString()) {
        return MockAsk.Refused.bad("messages", "messages: expected objects with a role.");
      }
    }
    return null;
  }

  /** Returns what is wrong with an optional flag, or null. */
  static MockAsk.@Nullable Refused flag(JsonNode body, String name) {
    JsonNode flag = body.path(name);
    return absent(flag) || flag.isBoolean()
        ? null
        : MockAsk.Refused.bad(name, name + ": expected true or false.");
  }

  /** Returns what is wrong with an optional whole number of 1 to {@code max}, or null. */
  static MockAsk.@Nullable Refused number(JsonNode body, String name, int max) {
    JsonNode number = body.path(name);
    if (absent(number)) {
      return null;
    }
    boolean good =
        number.isIntegralNumber()
            && number.canConvertToLong()
            && number.longValue() >= 1
            && number.longValue() <= max;
    return good
        ? null
        : MockAsk.Refused.bad(name, name + ": expected a whole number from 1 to " + max + ".");
  }

  /** Returns a number that has been checked, or {@code otherwise} if it is missing. */
  static int value(JsonNode body, String name, int otherwise) {
    JsonNode number = body.path(name);
    return absent(number) ? otherwise : number.intValue();
  }

  static boolean absent(JsonNode node) {
    return node.isMissingNode() || node.isNull();
  }

  /** Returns the first of several results that is a fault. */
  static MockAsk.@Nullable Refused first(MockAsk.@Nullable Refused... faults) {
    for (MockAsk.@Nullable Refused fault : faults) {
      if (fault != null) {
        return fault;
      }
    }
    return null;
  }

  /**
   * Returns one token per four UTF-8 bytes of texts, of calls and results of tools, and of the
   * tools that are offered, rounded up once, plus four per message.
   */
  static long promptTokens(JsonNode messages, JsonNode system, JsonNode tools) {
    long bytes = textBytes(system) + jsonBytes(tools);
    for (JsonNode message : messages) {
      bytes += partBytes(message);
    }
    return tokens(bytes) + (long) TOKENS_PER_MESSAGE * messages.size();
  }

  static long tokens(long textBytes) {
    return (textBytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
  }

  /** Returns the bytes of a text, or of the texts in a list of parts, including nested ones. */
  static long textBytes(JsonNode content) {
    if (content.isString()) {
      return utf8Bytes(content.stringValue());
    }
    long bytes = 0;
    if (content.isArray()) {
      for (JsonNode part : content) {
        bytes += part.isObject() ? partBytes(part) : textBytes(part);
      }
    }
    return bytes;
  }

  /** Returns the bytes of the texts in one part, including nested ones. */
  static long partBytes(JsonNode part) {
    JsonNode text = part.path("text");
    long bytes = text.isString() ? utf8Bytes(text.stringValue()) : 0;
    for (String name : OF_TOOLS) {
      JsonNode member = part.path(name);
      bytes += member.isString() ? utf8Bytes(member.stringValue()) : jsonBytes(member);
    }
    return bytes + textBytes(part.path("content"));
  }

  /** Returns the bytes of an object or a list as JSON; 0 if it is neither. */
  static long jsonBytes(JsonNode node) {
    return node.isContainer() ? JSON.writeValueAsBytes(node).length : 0;
  }

  private static long utf8Bytes(String text) {
    long bytes = text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      // a surrogate pair is four bytes, two for each char
      bytes += c < 0x80 ? 0 : c < 0x800 || Character.isSurrogate(c) ? 1 : 2;
    }
    return bytes;
  }
}
