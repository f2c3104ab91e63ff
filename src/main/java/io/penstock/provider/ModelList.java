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
public final class ModelList {
  private static final JsonFactory FACTORY = new JsonFactory();

  private ModelList() {}

  /** Returns the list of models as JSON, in the given order. */
  public static byte[] of(ProviderProtocol protocol, List<String> models) {
    return written(json -> protocol.list(json, models));
  }

  /** Returns the description of one model as JSON. */
  public static byte[] of(ProviderProtocol protocol, String model) {
    return written(json -> protocol.describe(json, model));
  }

  /** Writes the descriptions of models as an array. */
  public static void array(
      JsonGenerator json, String name, ProviderProtocol protocol, List<String> models) {
    json.writeArrayPropertyStart(name);
    for (String model : models) {
      json.writeStartObject();
      protocol.describe(json, model);
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static byte[] written(Consumer<JsonGenerator> content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(1_024);
    try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
      json.writeStartObject();
      content.accept(json);
      json.writeEndObject();
    }
    return bytes.toByteArray();
  }
}
