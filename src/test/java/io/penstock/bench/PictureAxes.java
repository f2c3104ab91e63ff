package io.penstock.bench;

import java.util.List;

/**
 * Two axes that start at 0, in a rectangle of a picture.
 *
 * @param svg the picture
 * @param left of the rectangle, in pixels
 * @param top of the rectangle, in pixels
 * @param width of the rectangle, in pixels
 * @param height of the rectangle, in pixels
 * @param mostX the value at the right edge
 * @param mostY the value at the top edge
 */
record PictureAxes(
    SvgBuilder svg,
    double left,
    double top,
    double width,
    double height,
    double mostX,
    double mostY) {
  double x(double value) {
    return left + width * Math.min(value, mostX) / mostX;
  }

  double y(double value) {
    return top + height * (1 - Math.min(value, mostY) / mostY);
  }

  /** Draws both axes, with grid lines and numbers at the given intervals. */
  void draw(double everyX, double everyY, String nameX, String nameY) {
    for (double value = everyY; value <= mostY; value += everyY) {
      svg.stroke("grid", left, y(value), left + width, y(value));
      svg.words("tick end", left - 5, y(value) + 4, SvgBuilder.number(value));
    }
    svg.stroke("axis", left, y(0), left + width, y(0));
    for (double value = 0; value <= mostX; value += everyX) {
      svg.stroke("axis", x(value), y(0), x(value), y(0) + 3);
      svg.words("tick mid", x(value), y(0) + 15, SvgBuilder.number(value));
    }
    svg.words("tick end", left + width, y(0) + 29, nameX);
    svg.upwards("tick mid", left - 26, top + height / 2, nameY);
  }

  /** Returns the path of a count that increases by one at each value, up to the right edge. */
  String steps(List<Double> values) {
    StringBuilder path = new StringBuilder("M" + point(0, 0));
    for (int at = 0; at < values.size(); at++) {
      path.append('H').append(SvgBuilder.number(x(values.get(at))));
      path.append('V').append(SvgBuilder.number(y(at + 1)));
    }
    return path + "H" + SvgBuilder.number(x(mostX));
  }

  /** Returns the same path from right to left, so that it can continue another one. */
  String stepsBack(List<Double> values) {
    StringBuilder path = new StringBuilder();
    for (int at = values.size() - 1; at >= 0; at--) {
      path.append('H').append(SvgBuilder.number(x(values.get(at))));
      path.append('V').append(SvgBuilder.number(y(at)));
    }
    return path + "H" + SvgBuilder.number(x(0));
  }

  private String point(double valueX, double valueY) {
    return SvgBuilder.number(x(valueX)) + " " + SvgBuilder.number(y(valueY));
  }
}
