package io.penstock.cli;

import java.util.List;
import java.util.Locale;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;

/** Renders a screen as SVG. */
final class TopPicture {
  private static final double WIDE = 7.8;
  private static final int HIGH = 17;
  private static final int EDGE = 10;
  private static final int FOREGROUND = 15;

  private static final String STYLE =
      """
      rect.screen { fill: #161b22 }
      rect.inverse { fill: #d0d7de }
      text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d0d7de; white-space: pre }
      .bold { font-weight: 700 }
      .inverse { fill: #161b22 }
      .c1 { fill: #ff7b72 }
      .c2 { fill: #3fb950 }
      .c3 { fill: #e3b341 }
      .c5 { fill: #d2a8ff }
      .c6 { fill: #56d4dd }
      .c75 { fill: #58a6ff }
      .c208 { fill: #f0883e }
      .c244 { fill: #8b949e }
      """;

  private final StringBuilder svg = new StringBuilder();

  private TopPicture() {}

  static String draw(List<AttributedString> lines, int columns) {
    TopPicture picture = new TopPicture();
    double width = columns * WIDE + 2 * EDGE;
    int height = lines.size() * HIGH + 2 * EDGE;
    picture.line(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %s %d' role='img'>"
            .formatted(number(width), height));
    picture.line("<title>penstock top</title>");
    picture.line("<style>\n%s</style>".formatted(STYLE));
    picture.line(
        "<rect class='screen' width='%s' height='%d' rx='6'/>".formatted(number(width), height));
    for (int at = 0; at < lines.size(); at++) {
      picture.draw(lines.get(at), at);
    }
    return picture.svg + "</svg>\n";
  }

  /**
   * Draws each run of one style at its own position, so that another font does not shift the text.
   */
  private void draw(AttributedString line, int row) {
    int from = 0;
    for (int at = 1; at <= line.length(); at++) {
      boolean ends = at == line.length() || !line.styleAt(at).equals(line.styleAt(from));
      if (ends) {
        run(line.subSequence(from, at).toString(), line.styleAt(from), from, row);
        from = at;
      }
    }
  }

  private void run(String text, AttributedStyle style, int column, int row) {
    String toAnsi = style.toAnsi();
    List<String> codes = List.of(toAnsi.split(";", -1));
    boolean inverse = codes.contains("7");
    String x = number(EDGE + column * WIDE);
    String wide = number(text.length() * WIDE);
    int y = EDGE + row * HIGH;
    if (inverse) {
      line(
          "<rect class='inverse' x='%s' y='%d' width='%s' height='%d'/>"
              .formatted(x, y, wide, HIGH));
    }
    if (!text.isBlank()) {
      String plain = text.replace("&", "&amp;").replace("<", "&lt;");
      line(
          "<text class='%s' x='%s' y='%d' textLength='%s' lengthAdjust='spacingAndGlyphs'>%s</text>"
              .formatted(kind(codes, inverse), x, y + 13, wide, plain));
    }
  }

  private static String kind(List<String> codes, boolean inverse) {
    int colour = FOREGROUND;
    int at = codes.indexOf("38");
    if (at >= 0) {
      colour = Integer.parseInt(codes.get(at + 2));
    }
    for (String code : codes) {
      colour = at < 0 && code.matches("3[0-7]") ? code.charAt(1) - '0' : colour;
    }
    return (codes.contains("1") ? "bold " : "") + (inverse ? "inverse" : "c" + colour);
  }

  private void line(String line) {
    svg.append(line).append('\n');
  }

  private static String number(double value) {
    String text = String.format(Locale.ROOT, "%.1f", value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }
}
