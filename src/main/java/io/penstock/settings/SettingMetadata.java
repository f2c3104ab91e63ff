package io.penstock.settings;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.io.ClassPathResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Description of one setting, from the metadata that the compiler makes of {@link
 * PenstockSettings}.
 *
 * @param name in the form that the documents use
 * @param type name of the Java type of its value
 * @param defaultValue empty if there is none
 * @param description one or more sentences, with code in backticks
 */
record SettingMetadata(String name, String type, String defaultValue, String description) {
  private static final String RESOURCE = "META-INF/spring-configuration-metadata.json";

  /** All settings by name; there are no others. */
  static final List<SettingMetadata> ALL = read();

  ConfigurationPropertyName id() {
    return ConfigurationPropertyName.of(name);
  }

  /** Returns whether it has several values, such as {@code name[0]}, or {@code name.key}. */
  boolean compound() {
    return type.startsWith(List.class.getName()) || type.startsWith(Map.class.getName());
  }

  /** Returns the names of the environment variable that sets it; people use the first. */
  List<String> variables() {
    String upper = name.toUpperCase(Locale.ROOT).replace('.', '_');
    return List.of(upper.replace('-', '_'), upper.replace("-", ""));
  }

  /** Reads the metadata. Libraries have files of the same name; that of the program comes first. */
  private static List<SettingMetadata> read() {
    List<SettingMetadata> settings = new ArrayList<>();
    try (InputStream in = new ClassPathResource(RESOURCE).getInputStream()) {
      for (JsonNode each : JsonMapper.shared().readTree(in).path("properties")) {
        settings.add(of(each));
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    settings.sort(Comparator.comparing(SettingMetadata::name));
    return List.copyOf(settings);
  }

  private static SettingMetadata of(JsonNode property) {
    JsonNode standard = property.path("defaultValue");
    return new SettingMetadata(
        property.path("name").asString(),
        property.path("type").asString(),
        standard.isArray()
            ? standard.valueStream().map(JsonNode::asString).collect(Collectors.joining(","))
            : standard.asString(""),
        property
            .path("description")
            .asString("")
            .replaceAll("\\{@code\\s+([^}]*)}", "`$1`")
            .replaceAll("\\s+", " ")
            .strip());
  }
}
