package io.penstock.config;

import io.penstock.config.shape.CallsSetting;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.SectionList;
import io.penstock.config.shape.ValueShape;
import io.penstock.mock.MockParameter;
import java.util.List;
import java.util.Map;

/**
 * The reference of route files: a table for each section, made from the settings that the reader
 * and the JSON Schema are made from.
 */
final class RouteReference {
  private static final String BEGIN = "<!-- sections -->";
  private static final String END = "<!-- /sections -->";

  /**
   * A section of route files.
   *
   * @param place where it stands in a file
   * @param about what it is, in full sentences
   */
  record Section(String place, String about, List<RouteSetting<?>> table) {}

  /** All sections, in the order of the page. */
  static final List<Section> SECTIONS =
      List.of(
          new Section(
              "endpoints[]",
              "Paths that clients use. `defaults` takes the same settings, but no `path`, for all"
                  + " endpoints of its own file, and also `max_dynamic_endpoints`.",
              EndpointSettings.TABLE),
          new Section(
              "defaults",
              "Settings that `defaults` has beside those of `endpoints[]`.",
              List.of(EndpointSettings.MAX_DYNAMIC_ENDPOINTS)),
          new Section(
              "endpoints[].upstreams[]",
              "Deployments of providers. An `id` that is used twice is the same upstream, and must"
                  + " then have the same settings.",
              UpstreamSettings.TABLE),
          new Section(
              "endpoints[].upstreams[].limits[]",
              "Limits of some models of an upstream, in place of its own.",
              PoolSettings.TABLE),
          new Section(
              "endpoints[].upstreams[].tls",
              "Certificates for the connection to an upstream.",
              CertificatesSetting.TABLE),
          new Section(
              "models.NAME",
              "Quotas, prices and fallbacks of a model, whichever upstream serves it.",
              ModelSettings.TABLE),
          new Section(
              "models.NAME.price_per_mtok",
              "What the model costs, in any currency. It is used by `GET /usage` alone.",
              PriceTag.TABLE),
          new Section("keys[]", "Keys of clients, and what they may use.", KeySettings.TABLE),
          new Section("keys[].models.NAME", "Limits of a key for one model.", KeyModels.TABLE),
          new Section("groups[]", "Limits that several keys share.", GroupSettings.TABLE),
          new Section(
              "server",
              "Where to listen, as in files of rls; arguments win.",
              RlsCompatibility.SERVER_TABLE));

  private RouteReference() {}

  /** Returns the part of a page between the two markers, without blank lines around it. */
  static String shownIn(String page) {
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IllegalArgumentException("expected " + BEGIN + " and then " + END);
    }
    return page.substring(begin + BEGIN.length(), end).strip() + "\n";
  }

  /** Returns the reference as Markdown. */
  static String text() {
    StringBuilder text = new StringBuilder();
    for (Section section : SECTIONS) {
      text.append("## `%s`\n\n%s\n\n".formatted(section.place(), section.about()));
      text.append("| key | value | default | meaning |\n|---|---|---|---|\n");
      section.table().forEach(setting -> text.append(row(setting)));
      text.append('\n');
    }
    text.append("## `mock://` addresses\n\n");
    text.append(
        "`mock://openai`, `mock://anthropic` and `mock://gemini` are a built-in provider, with"
            + " parameters as in `mock://openai?latency=200ms&tokens=50`.\n\n");
    text.append("| parameter | value | default | meaning |\n|---|---|---|---|\n");
    for (MockParameter each : MockParameter.ALL) {
      text.append(row(each.name(), each.accepted(), "`" + each.otherwise() + "`", each.meaning()));
    }
    return text.toString();
  }

  private static <T> String row(RouteSetting<T> setting) {
    return row(
        setting.name(),
        value(setting.shape()),
        otherwise(setting),
        setting.meaning() + otherNames(setting.otherNames()));
  }

  private static String otherNames(List<String> names) {
    return names.isEmpty() ? "" : " Also `" + String.join("`, `", names) + "`.";
  }

  private static String row(String name, String value, String otherwise, String meaning) {
    return "| `%s` | %s | %s | %s |\n"
        .formatted(name, escaped(value), escaped(otherwise), escaped(meaning));
  }

  private static String escaped(String text) {
    return text.replace("|", "\\|").replace("\n", " ");
  }

  /** Returns the values of a shape, in the words of its errors where it has some. */
  private static String value(ValueShape<?> shape) {
    if (shape instanceof ValueShape.OfScalar<?> scalar) {
      return scalar.expected();
    }
    if (shape instanceof SectionList list) {
      return "a list of " + list.of() + "s";
    }
    if (shape instanceof CallsSetting) {
      return CallsSetting.EXPECTED;
    }
    Map<String, Object> schema = shape.schema();
    return "array".equals(schema.get("type")) ? "a list" : "a mapping";
  }

  private static <T> String otherwise(RouteSetting<T> setting) {
    return switch (setting.fallback()) {
      case RouteSetting.Fallback.Required<T> required -> "required";
      case RouteSetting.Fallback.Unset<T> unset -> unset.text();
      case RouteSetting.Fallback.Derived<T> derived -> derived.text();
      case RouteSetting.Fallback.Fixed<T> fixed -> shown(setting.shape().show(fixed.value()));
    };
  }

  private static String shown(Object value) {
    return switch (value) {
      case List<?> list when list.isEmpty() -> "none";
      case Map<?, ?> map when map.isEmpty() -> "none";
      case String text when text.isEmpty() -> "none";
      default -> "`" + value + "`";
    };
  }
}
