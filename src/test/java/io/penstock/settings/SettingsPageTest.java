package io.penstock.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.DocumentPages;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

/** Compares the table of settings in the page about settings with the metadata of the settings. */
class SettingsPageTest {
  private static final Path PAGE = DocumentPages.page("settings.md");
  private static final String BEGIN = "<!-- settings -->";
  private static final String END = "<!-- /settings -->";
  private static final String HEAD = "| setting | value | default | |\n|---|---|---|---|\n";

  private static final Map<String, String> VALUES =
      Map.of(
          Boolean.class.getName(),
          "`true` or `false`",
          Integer.class.getName(),
          "whole number",
          Long.class.getName(),
          "whole number",
          Double.class.getName(),
          "number",
          Duration.class.getName(),
          "duration",
          DataSize.class.getName(),
          "size",
          String.class.getName(),
          "text",
          SecretText.class.getName(),
          "text",
          List.class.getName() + "<" + String.class.getName() + ">",
          "list",
          Map.class.getName()
              + "<"
              + String.class.getName()
              + ","
              + SecretText.class.getName()
              + ">",
          "texts by name");

  private static String value(SettingMetadata setting) throws ClassNotFoundException {
    String known = VALUES.get(setting.type());
    if (known != null) {
      return known;
    }
    Object[] constants = Class.forName(setting.type()).getEnumConstants();
    return Arrays.stream(constants)
        .map(each -> "`" + each.toString().toLowerCase(Locale.ROOT) + "`")
        .collect(Collectors.joining(", "));
  }

  private static String table() throws ClassNotFoundException {
    StringBuilder table = new StringBuilder(HEAD);
    for (SettingMetadata each : SettingMetadata.ALL) {
      String standard = each.defaultValue().isEmpty() ? "none" : "`" + each.defaultValue() + "`";
      table.append(
          "| `%s` | %s | %s | %s |\n"
              .formatted(
                  each.name(), value(each), standard, each.description().replace("|", "\\|")));
    }
    return table.toString();
  }

  @Test
  void page_showsEachSettingWithItsDescription() throws ClassNotFoundException {
    String page = DocumentPages.text(PAGE);
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    assertThat(begin).as(BEGIN).isNotNegative();
    assertThat(end).as(END).isGreaterThan(begin);
    String expected = table();
    assertThat(page.substring(begin + BEGIN.length(), end).strip() + "\n")
        .withFailMessage(
            () -> "paste this between the markers " + BEGIN + " of " + PAGE + ":\n" + expected)
        .isEqualTo(expected);
  }
}
