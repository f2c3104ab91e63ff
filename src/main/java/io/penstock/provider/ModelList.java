package io.penstock.provider;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Writes models, and lists of them, in each provider's format. Only the name of a model is known;
 * its creation time is given as the Unix epoch, which Anthropic's reference prescribes for unknown
 * times.
 */
final class ModelList {
  private static final JsonFactory FACTORY = new JsonFactory();

  private ModelList() {}

  /** Returns {@code {"object":"list","data":[{"id","object","created","owned_by"}]}}. */
  static byte[] openAi(List<String> names) {
    return write(
        json -> {
          json.writeStringProperty("object", "list");
          json.writeArrayPropertyStart("data");
          for (String name : names) {
            json.writeStartObject();
            openAi(json, name);
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  /** Returns {@code {"id","object","created","owned_by"}}. */
  static byte[] openAiModel(String name) {
    return write(json -> openAi(json, name));
  }

  private static void openAi(JsonGenerator json, String name) {
    json.writeStringProperty("id", name);
    json.writeStringProperty("object", "model");
    json.writeNumberProperty("created", 0);
    json.writeStringProperty("owned_by", "penstock");
  }

  /**
   * Returns {@code
   * {"data":[{"type","id","display_name","created_at"}],"has_more","first_id","last_id"}}.
   */
  static byte[] anthropic(List<String> names) {
    return write(
        json -> {
          json.writeArrayPropertyStart("data");
          for (String name : names) {
            json.writeStartObject();
            anthropic(json, name);
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeBooleanProperty("has_more", false);
          json.writeStringProperty("first_id", names.isEmpty() ? null : names.getFirst());
          json.writeStringProperty("last_id", names.isEmpty() ? null : names.getLast());
        });
  }

  /** Returns {@code {"type","id","display_name","created_at"}}. */
  static byte[] anthropicModel(String name) {
    return write(json -> anthropic(json, name));
  }

  private static void anthropic(JsonGenerator json, String name) {
    json.writeStringProperty("type", "model");
    json.writeStringProperty("id", name);
    json.writeStringProperty("display_name", name);
    json.writeStringProperty("created_at", "1970-01-01T00:00:00Z");
  }

  /** Returns {@code {"models":[{"name","displayName"}]}}, names with their collection. */
  static byte[] gemini(List<String> names) {
    return write(
        json -> {
          json.writeArrayPropertyStart("models");
          for (String name : names) {
            json.writeStartObject();
            gemini(json, name);
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  /** Returns {@code {"name","displayName"}}, the name with its collection. */
  static byte[] geminiModel(String name) {
    return write(json -> gemini(json, name));
  }

  private static void gemini(JsonGenerator json, String name) {
    json.writeStringProperty("name", name.indexOf('/') < 0 ? "models/" + name : name);
    json.writeStringProperty("displayName", name);
  }

  private static byte[] write(Consumer<JsonGenerator> content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(1_024);
    try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
      json.writeStartObject();
      content.accept(json);
      json.writeEndObject();
    }
    return bytes.toByteArray();
  }
}
