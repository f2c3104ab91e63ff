package io.penstock.config.shape;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON Schema of a section, generated from its table of settings. */
public final class SectionSchema {
  private SectionSchema() {}

  /** Returns the schema of a mapping that holds the settings of {@code table}. */
  public static Map<String, Object> of(List<RouteSetting<?>> table) {
    Map<String, Object> properties = new LinkedHashMap<>();
    List<String> required = new ArrayList<>();
    Map<String, Object> aliases = new LinkedHashMap<>();
    List<Map<String, Object>> twoNames = new ArrayList<>();
    for (RouteSetting<?> setting : table) {
      properties.put(setting.name(), settingSchema(setting));
      if (setting.fallback() instanceof RouteSetting.Fallback.Required) {
        required.add(setting.name());
      }
      for (String other : setting.otherNames()) {
        aliases.put(other, alias(setting));
        twoNames.add(ValueShape.keywords("required", List.of(setting.name(), other)));
      }
    }
    properties.putAll(aliases);
    Map<String, Object> schema = object(properties);
    if (!required.isEmpty()) {
      schema.put("required", required);
    }
    if (!twoNames.isEmpty()) {
      schema.put("not", ValueShape.keywords("anyOf", twoNames));
    }
    return schema;
  }

  /** Returns the schema of a mapping that has no keys but {@code properties}. */
  public static Map<String, Object> object(Map<String, Object> properties) {
    return ValueShape.keywords(
        "type", "object", "additionalProperties", false, "properties", properties);
  }

  private static Map<String, Object> alias(RouteSetting<?> setting) {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("description", "Another name of " + setting.name() + ".");
    schema.putAll(setting.shape().schema());
    return schema;
  }

  private static <T> Map<String, Object> settingSchema(RouteSetting<T> setting) {
    Map<String, Object> schema = new LinkedHashMap<>();
    String text = "";
    switch (setting.fallback()) {
      case RouteSetting.Fallback.Required<T> required -> text = " Required.";
      case RouteSetting.Fallback.Unset<T> unset -> text = " Default: " + unset.text() + ".";
      case RouteSetting.Fallback.Derived<T> derived -> text = " Default: " + derived.text() + ".";
      case RouteSetting.Fallback.Fixed<T> fixed ->
          schema.put("default", setting.shape().show(fixed.value()));
    }
    schema.put("description", setting.meaning() + text);
    schema.putAll(setting.shape().schema());
    return schema;
  }
}
