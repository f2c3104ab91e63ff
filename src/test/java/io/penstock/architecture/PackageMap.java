package io.penstock.architecture;

import io.penstock.suite.SourceTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The table of packages in the page about the architecture, made from {@link LayerTable}. */
final class PackageMap {
  private static final String BEGIN = "<!-- packages -->";
  private static final String END = "<!-- /packages -->";
  private static final String HEAD =
      "| layer | package | content | may import |\n|---|---|---|---|\n";
  private static final Path MAIN = Path.of("src", "main", "java");
  private static final Pattern COMMENT = Pattern.compile("/\\*\\*((?:(?!\\*/)[\\s\\S])*+)\\*/");

  private PackageMap() {}

  /** Returns the part of a page between the two markers, without blank lines around it. */
  static String shownIn(String page) {
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IllegalArgumentException("expected " + BEGIN + " and then " + END);
    }
    return page.substring(begin + BEGIN.length(), end).strip() + "\n";
  }

  /** Returns the table, with the sentence that each package-info has. */
  static String table() {
    return table(LayerTable.ROWS, PackageMap::sentence);
  }

  /** Returns a table of these rows; {@code sentences} has the content by the name of a package. */
  static String table(List<LayerTable.Row> rows, Function<String, String> sentences) {
    StringBuilder table = new StringBuilder(HEAD);
    for (LayerTable.Row row : rows) {
      String name = LayerTable.ROOT + "." + row.name();
      line(table, "" + row.layer(), name, row.name(), sentences.apply(name), imports(row, rows));
    }
    String root = LayerTable.ROOT;
    line(table, "root", root, root, sentences.apply(root), "all");
    return table.toString();
  }

  private static void line(
      StringBuilder table, String layer, String name, String shown, String content, String may) {
    table.append(
        "| %s | [`%s`](../main/java/%s) | %s | %s |\n"
            .formatted(layer, shown, name.replace('.', '/'), content, may));
  }

  /** Returns the lower layers that a row may import as a whole, and the packages beside them. */
  static String imports(LayerTable.Row row, List<LayerTable.Row> rows) {
    int whole = 0;
    while (whole < row.layer() && importsLayer(row, whole, rows)) {
      whole++;
    }
    List<String> all = new ArrayList<>();
    if (whole > 0) {
      all.add(whole == 1 ? "layer 0" : "layers 0 to " + (whole - 1));
    }
    for (LayerTable.Row other : rows) {
      if (other.layer() >= whole && !other.equals(row) && row.mayImport(other)) {
        all.add("`" + other.name() + "`");
      }
    }
    return all.isEmpty() ? "none" : String.join(", ", all);
  }

  private static boolean importsLayer(LayerTable.Row row, int layer, List<LayerTable.Row> rows) {
    return rows.stream().filter(other -> other.layer() == layer).allMatch(row::mayImport);
  }

  private static String sentence(String packageName) {
    Path file = MAIN.resolve(packageName.replace('.', '/')).resolve("package-info.java");
    return sentence(file.toString(), SourceTree.text(file).orElse(""));
  }

  /** Returns the first sentence of a package-info as Markdown. */
  static String sentence(String path, String text) {
    Matcher comment = COMMENT.matcher(text);
    if (!comment.find()) {
      throw new IllegalArgumentException(path + " has no comment, expected a sentence");
    }
    String words =
        comment
            .group(1)
            .replaceAll("(?m)^\\s*\\*", "")
            .replaceAll("\\{@\\w+ ([^}]*)}", "`$1`")
            .strip()
            .replaceAll("\\s+", " ");
    return words.split("(?<=\\.) ", 2)[0].replaceAll("\\.$", "").replace("|", "\\|");
  }
}
