package io.penstock.mock;

import static tools.jackson.core.json.JsonWriteFeature.ESCAPE_NON_ASCII;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes small JSON documents that satisfy a JSON schema, or one of Gemini's schemas: with the
 * required properties, and one element in each list. It does not know patterns, dependencies and
 * conditions. For one document.
 */
final class MockSchema {
  /** Most values in a document; beyond it, values are null, and lists and objects end. */
  private static final int MOST_VALUES = 1_000;

  private static final int DEEPEST = 32;
  private static final int LONGEST_TEXT = 1_000;
  private static final String WORD = "water";

  private static final Map<String, String> FORMATS =
      Map.of(
          "date-time", "2025-01-01T00:00:00Z",
          "date", "2025-01-01",
          "time", "00:00:00Z",
          "duration", "P1D",
          "email", "keeper@example.com",
          "hostname", "example.com",
          "ipv4", "192.0.2.1",
          "ipv6", "2001:db8::1",
          "uri", "https://example.com/",
          "uuid", "00000000-0000-4000-8000-000000000000");

  private static final JsonMapper ASCII = JsonMapper.builder().enable(ESCAPE_NON_ASCII).build();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final JsonNode root;
  private int values;

  private MockSchema(JsonNode root) {
    this.root = root;
  }

  /** Returns a document in ASCII; an empty object for a schema that says nothing. */
  static String document(JsonNode schema) {
    JsonNode document = new MockSchema(schema).value(schema, 0);
    return ASCII.writeValueAsString(document);
  }

  private JsonNode value(JsonNode stated, int depth) {
    if (++values > MOST_VALUES || depth > DEEPEST) {
      return NODES.nullNode();
    }
    JsonNode schema = resolved(stated);
    if (schema.has("const")) {
      return schema.path("const");
    }
    JsonNode choices = schema.path("enum");
    if (choices.isArray() && !choices.isEmpty()) {
      return choices.path(0);
    }
    for (String alternatives : List.of("anyOf", "any_of", "oneOf")) {
      JsonNode first = schema.path(alternatives).path(0);
      if (first.isObject()) {
        return value(first, depth + 1);
      }
    }
    return switch (type(schema)) {
      case "array" -> list(schema, depth);
      case "string" -> NODES.stringNode(text(schema));
      case "integer", "number" -> number(schema);
      case "boolean" -> NODES.booleanNode(true);
      case "null" -> NODES.nullNode();
      default -> object(schema, depth);
    };
  }

  /** Follows references within the document, such as {@code #/$defs/name}. */
  private JsonNode resolved(JsonNode stated) {
    JsonNode schema = stated;
    for (int i = 0; i < DEEPEST && schema.path("$ref").isString(); i++) {
      String reference = schema.path("$ref").stringValue();
      schema = reference.startsWith("#") ? root.at(reference.substring(1)) : NODES.missingNode();
    }
    return schema;
  }

  /** Returns the first type that is not null. Gemini writes types in capitals. */
  private static String type(JsonNode schema) {
    JsonNode type = schema.path("type");
    List<String> types = new ArrayList<>();
    if (type.isString()) {
      types.add(type.stringValue());
    }
    type.forEach(each -> types.add(each.stringValue("")));
    for (String each : types) {
      String name = each.toLowerCase(Locale.ROOT);
      if (!name.equals("null") || types.size() == 1) {
        return name;
      }
    }
    return schema.has("items") || schema.has("prefixItems") ? "array" : "object";
  }

  private ObjectNode object(JsonNode schema, int depth) {
    ObjectNode object = NODES.objectNode();
    addRequired(schema, object, depth);
    for (JsonNode part : schema.path("allOf")) {
      addRequired(resolved(part), object, depth);
    }
    return object;
  }

  private void addRequired(JsonNode schema, ObjectNode object, int depth) {
    for (JsonNode required : schema.path("required")) {
      String name = required.stringValue("");
      JsonNode property = schema.path("properties").path(name);
      if (values > MOST_VALUES) {
        return;
      }
      object.set(name, value(property, depth + 1));
    }
  }

  private ArrayNode list(JsonNode schema, int depth) {
    ArrayNode list = NODES.arrayNode();
    schema.path("prefixItems").forEach(item -> list.add(value(item, depth + 1)));
    long least = whole(schema, "minItems", 1);
    long most = whole(schema, "maxItems", Long.MAX_VALUE);
    JsonNode items = schema.path("items");
    if (items.isObject() || list.isEmpty()) {
      while (list.size() < Math.min(Math.max(least, 1), most) && values < MOST_VALUES) {
        list.add(value(items, depth + 1));
      }
    }
    return list;
  }

  private static String text(JsonNode schema) {
    String known = FORMATS.get(schema.path("format").stringValue(""));
    if (known != null) {
      return known;
    }
    long least = Math.min(whole(schema, "minLength", 0), LONGEST_TEXT);
    long most = whole(schema, "maxLength", LONGEST_TEXT);
    StringBuilder text = new StringBuilder(WORD);
    while (text.length() < least) {
      text.append(' ').append(WORD);
    }
    long length = Math.min(Math.max(least, WORD.length()), most);
    return text.substring(0, (int) Math.max(0, length));
  }

  /** Returns zero, or the number within the bounds that is closest to it. */
  private static JsonNode number(JsonNode schema) {
    Long least = bound(schema, "minimum", "exclusiveMinimum", 1);
    Long most = bound(schema, "maximum", "exclusiveMaximum", -1);
    long number = 0;
    if (least != null && number < least) {
      number = least;
    } else if (most != null && number > most) {
      number = most;
    }
    long step = whole(schema, "multipleOf", 1);
    return NODES.numberNode(step > 1 ? Math.ceilDiv(number, step) * step : number);
  }

  private static @Nullable Long bound(
      JsonNode schema, String inclusive, String exclusive, int inwards) {
    JsonNode strict = schema.path(exclusive);
    if (strict.isNumber()) {
      double next = inwards > 0 ? Math.floor(strict.asDouble()) : Math.ceil(strict.asDouble());
      return (long) next + inwards;
    }
    JsonNode bound = schema.path(inclusive);
    if (!bound.isNumber()) {
      return null;
    }
    double within = inwards > 0 ? Math.ceil(bound.asDouble()) : Math.floor(bound.asDouble());
    return (long) within;
  }

  /** Returns a whole number, which Gemini writes as text. */
  private static long whole(JsonNode schema, String name, long otherwise) {
    return schema.path(name).asLong(otherwise);
  }
}
