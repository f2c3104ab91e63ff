package io.penstock.cli;

import java.util.StringJoiner;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads JSON without an object mapper, which would take longer to start than the rest of a command.
 */
final class CommandJson {
  private static final JsonFactory TEXT = new JsonFactory();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private CommandJson() {}

  /**
   * Returns the only value in {@code text}.
   *
   * @throws tools.jackson.core.JacksonException if it is not JSON, or more than one value
   */
  static JsonNode read(String text) {
    try (JsonParser parser = TEXT.createParser(ObjectReadContext.empty(), text)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new StreamReadException(parser, "there is no value");
      }
      JsonNode value = value(parser, first);
      if (parser.nextToken() != null) {
        throw new StreamReadException(parser, "there is more than one value");
      }
      return value;
    }
  }

  /** Returns the plain members of an object as text, without the instant and the endpoint. */
  static String members(JsonNode object) {
    StringJoiner words = new StringJoiner(" ");
    object
        .properties()
        .forEach(
            each -> {
              JsonNode value = each.getValue();
              if (value.isValueNode()
                  && !value.isNull()
                  && !each.getKey().equals("at")
                  && !each.getKey().equals("endpoint")) {
                words.add(each.getKey() + "=" + value.asString());
              }
            });
    return words.toString();
  }

  /** Builds a value recursively; the parser refuses nesting deeper than 500. */
  private static JsonNode value(JsonParser parser, JsonToken token) {
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> NODES.stringNode(parser.getString());
      case VALUE_NUMBER_INT -> integer(parser);
      case VALUE_NUMBER_FLOAT -> NODES.numberNode(parser.getDoubleValue());
      case VALUE_TRUE -> NODES.booleanNode(true);
      case VALUE_FALSE -> NODES.booleanNode(false);
      default -> NODES.nullNode();
    };
  }

  private static JsonNode integer(JsonParser parser) {
    return parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
        ? NODES.numberNode(parser.getBigIntegerValue())
        : NODES.numberNode(parser.getLongValue());
  }

  private static ObjectNode object(JsonParser parser) {
    ObjectNode node = NODES.objectNode();
    for (String name = parser.nextName(); name != null; name = parser.nextName()) {
      node.set(name, value(parser, parser.nextToken()));
    }
    return node;
  }

  private static ArrayNode array(JsonParser parser) {
    ArrayNode node = NODES.arrayNode();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      node.add(value(parser, token));
    }
    return node;
  }
}
