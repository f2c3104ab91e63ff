package io.penstock.bench;

import java.util.Locale;

/** Builder for the text of an SVG with lines, dots and words; lengths are in pixels. */
final class SvgBuilder {
  private final StringBuilder text = new StringBuilder();

  /**
   * Starts a picture; colours come from the style, so that they follow the reader's colour scheme.
   */
  SvgBuilder(int width, int height, String title, String style) {
    line(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' role='img'>"
            .formatted(width, height));
    line("<title>%s</title>".formatted(title));
    line("<style>\n%s</style>".formatted(style));
  }

  /** Begins a group that is moved; {@link #end} ends it. */
  SvgBuilder at(double x, double y) {
    return line("<g transform='translate(%s %s)'>".formatted(number(x), number(y)));
  }

  SvgBuilder end() {
    return line("</g>");
  }

  SvgBuilder words(String kind, double x, double y, String words) {
    return line(
        "<text class='%s' x='%s' y='%s'>%s</text>".formatted(kind, number(x), number(y), words));
  }

  /** Draws words that run upwards. */
  SvgBuilder upwards(String kind, double x, double y, String words) {
    at(x, y);
    line("<text class='%s' transform='rotate(-90)'>%s</text>".formatted(kind, words));
    return end();
  }

  SvgBuilder stroke(String kind, double x1, double y1, double x2, double y2) {
    return path(kind, "M%s %sL%s %s".formatted(number(x1), number(y1), number(x2), number(y2)));
  }

  SvgBuilder path(String kind, String path) {
    return line("<path class='%s' d='%s'/>".formatted(kind, path));
  }

  SvgBuilder dot(String kind, double x, double y, double radius) {
    return line(
        "<circle class='%s' cx='%s' cy='%s' r='%s'/>"
            .formatted(kind, number(x), number(y), number(radius)));
  }

  /** Draws two crossing strokes. */
  SvgBuilder cross(String kind, double x, double y, double half) {
    stroke(kind, x - half, y - half, x + half, y + half);
    return stroke(kind, x - half, y + half, x + half, y - half);
  }

  /** Returns a length with at most one decimal. */
  static String number(double value) {
    String text = String.format(Locale.ROOT, "%.1f", value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  private SvgBuilder line(String line) {
    text.append(line).append('\n');
    return this;
  }

  /** Returns the completed text. */
  String done() {
    return text + "</svg>\n";
  }
}
