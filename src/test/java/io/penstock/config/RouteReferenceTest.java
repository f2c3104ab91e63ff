package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.penstock.suite.DocumentPages;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Compares the reference of route files with the settings that are read. */
class RouteReferenceTest {
  private static final Path PAGE = DocumentPages.page("configuration.md");

  @Test
  void page_showsEachSetting() {
    String expected = RouteReference.text();
    assertThat(RouteReference.shownIn(DocumentPages.text(PAGE)))
        .withFailMessage(
            () -> "paste this between the markers <!-- sections --> of " + PAGE + ":\n" + expected)
        .isEqualTo(expected);
  }

  @Test
  void reference_hasEachKeyOfTheSchema() {
    List<String> keys = new ArrayList<>();
    collectKeys(JsonMapper.shared().readTree(RouteText.schema()), keys);
    assertThat(keys).isNotEmpty();
    List<String> shown =
        RouteReference.SECTIONS.stream()
            .flatMap(section -> section.table().stream())
            .flatMap(
                setting -> Stream.concat(Stream.of(setting.name()), setting.otherNames().stream()))
            .toList();
    List<String> sections =
        List.of("defaults", "endpoints", "models", "providers", "keys", "groups", "server");
    assertThat(keys).allMatch(key -> shown.contains(key) || sections.contains(key));
  }

  private static void collectKeys(JsonNode schema, List<String> keys) {
    schema.path("properties").properties().forEach(each -> keys.add(each.getKey()));
    schema.forEach(inner -> collectKeys(inner, keys));
  }

  @Test
  void page_withoutMarkers_fails() {
    assertThatIllegalArgumentException().isThrownBy(() -> RouteReference.shownIn("# A\n"));
  }
}
