package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.penstock.suite.DocumentPages;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares the table of packages in the page about the architecture with the one that is held. */
class PackageMapTest {
  private static final Path PAGE = DocumentPages.page("architecture.md");

  @Test
  void page_showsEachPackageWithItsSentenceAndImports() {
    String expected = PackageMap.table();
    assertThat(PackageMap.shownIn(DocumentPages.text(PAGE)))
        .withFailMessage(
            () -> "paste this between the markers <!-- packages --> of " + PAGE + ":\n" + expected)
        .isEqualTo(expected);
  }

  @Test
  void imports_ofWholeLayers_areNotListedOneByOne() {
    LayerTable.Row time = new LayerTable.Row(0, "time", any -> false);
    LayerTable.Row cost = new LayerTable.Row(0, "cost", row -> row.name().equals("time"));
    LayerTable.Row quota = new LayerTable.Row(1, "quota", row -> row.layer() == 0);
    LayerTable.Row pool = new LayerTable.Row(1, "pool", row -> !row.name().equals("wire"));
    LayerTable.Row wire = new LayerTable.Row(2, "wire", row -> row.layer() < 2);
    List<LayerTable.Row> rows = List.of(time, cost, quota, pool, wire);
    assertThat(rows)
        .extracting(row -> PackageMap.imports(row, rows))
        .containsExactly("none", "`time`", "layer 0", "layer 0, `quota`", "layers 0 to 1");
    assertThat(PackageMap.table(List.of(time), name -> "Sentence of " + name))
        .isEqualTo(
            """
            | layer | package | content | may import |
            |---|---|---|---|
            | 0 | [`time`](../main/java/io/penstock/time) | Sentence of io.penstock.time | none |
            | root | [`io.penstock`](../main/java/io/penstock) | Sentence of io.penstock | all |
            """);
  }

  @Test
  void sentence_isTheFirstOfTheComment() {
    assertThat(
            PackageMap.sentence(
                "A", "/**\n * One\n * {@code a|b} of many. Two.\n */\n@NullMarked\npackage a;"))
        .isEqualTo("One `a\\|b` of many");
    assertThatIllegalArgumentException().isThrownBy(() -> PackageMap.sentence("A", "package a;"));
  }

  @Test
  void page_withoutMarkers_fails() {
    assertThat(PackageMap.shownIn("# A\n<!-- packages -->\n\nb\n\n<!-- /packages -->\n"))
        .isEqualTo("b\n");
    assertThatIllegalArgumentException().isThrownBy(() -> PackageMap.shownIn("# A\n"));
  }
}
