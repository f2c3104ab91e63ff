package io.penstock.bench;

import io.penstock.fake.GatewayFleet;
import java.util.List;

/**
 * The picture in the chapter on many instances: usage of a window by each gateway, while Redis
 * works, is away, and is back.
 */
final class FleetPicture {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 330;
  private static final int LEFT = 58;
  private static final int TOP = 74;
  private static final int BOTTOM = 46;
  private static final long SECOND = 1_000_000_000L;
  private static final long STEP = SECOND / 10;

  private static final String STYLE =
      """
      text { font: 12px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #1f2328 }
      .head { font-size: 15px; font-weight: 600 }
      .soft, .tick { fill: #59636e }
      .tick { font-size: 11px }
      .end { text-anchor: end }
      .mid { text-anchor: middle }
      path { fill: none }
      .grid { stroke: #8c959f; stroke-opacity: .25 }
      .axis { stroke: #8c959f; stroke-opacity: .8 }
      .limit { stroke: #d55e00; stroke-width: 1.5; stroke-dasharray: 5 3 }
      .away { fill: #8c959f; fill-opacity: .18 }
      .of0, .of1, .of2 { fill: currentColor; fill-opacity: .8 }
      .of0 { color: #0072b2 }
      .of1 { color: #00855f }
      .of2 { color: #b58900 }
      @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3 }
        .soft, .tick { fill: #9aa4af }
        .limit { stroke: #f28a3c }
        .of0 { color: #56b4e9 }
        .of1 { color: #2fc796 }
        .of2 { color: #e3b341 }
      }
      """;

  /**
   * The data of the picture; times are in nanoseconds of the Unix clock.
   *
   * @param cellNanos the length of the window
   * @param limit of the window
   * @param from where the picture begins
   * @param to where it ends
   * @param down when Redis went away
   * @param up when Redis was back
   */
  record Run(
      List<GatewayFleet.Released> released,
      long cellNanos,
      long limit,
      long from,
      long to,
      long down,
      long up) {
    double seconds(long at) {
      return (at - from) / 1e9;
    }

    /**
     * Returns the usage in the current window at an instant by the gateways up to index {@code
     * last}.
     */
    long used(long at, int last) {
      long cell = Math.floorDiv(at, cellNanos);
      return released.stream()
          .filter(each -> each.instance() <= last && each.unixNanos() <= at)
          .filter(each -> Math.floorDiv(each.unixNanos(), cellNanos) == cell)
          .mapToLong(GatewayFleet.Released::tokens)
          .sum();
    }
  }

  private FleetPicture() {}

  static String draw(Run run, int members) {
    SvgBuilder svg = new SvgBuilder(WIDTH, HEIGHT, "One window of three gateways", STYLE);
    svg.words("head", 0, 18, "One window of three gateways, and Redis killed meanwhile");
    svg.words(
        "soft",
        0,
        38,
        "Tokens let go in the window that runs, on top of each other. Clients ask for more all the"
            + " time, nine of ten of the first gateway.");
    for (int member = 0; member < members; member++) {
      double x = 6 + 110.0 * member;
      svg.path("of" + member, "M%s 50h14v12h-14z".formatted(SvgBuilder.number(x)));
      svg.words("soft", x + 20, 60, "gateway " + (member + 1));
    }
    svg.stroke("limit", 340, 56, 362, 56).words("soft", 368, 60, "the limit");
    svg.path("away", "M440 50h14v12h-14z").words("soft", 460, 60, "Redis is dead");
    int width = WIDTH - LEFT - 10;
    int height = HEIGHT - TOP - BOTTOM;
    double most = (double) run.limit() * 1.1;
    PictureAxes axes = new PictureAxes(svg, LEFT, TOP, width, height, run.seconds(run.to()), most);
    axes.draw(5, run.limit() / 2.0, "time, s", "");
    for (int member = members - 1; member >= 0; member--) {
      svg.path("of" + member, area(run, member, axes));
    }
    double left = axes.x(run.seconds(run.down()));
    double wide = axes.x(run.seconds(run.up())) - left;
    svg.path(
        "away",
        "M%s %dh%sv%dh-%sz"
            .formatted(
                SvgBuilder.number(left),
                TOP,
                SvgBuilder.number(wide),
                height,
                SvgBuilder.number(wide)));
    double line = axes.y((double) run.limit());
    svg.stroke("limit", LEFT, line, LEFT + width, line);
    return svg.done();
  }

  /**
   * Returns the area of the usage by the gateways up to one; areas that include more gateways are
   * drawn behind it.
   */
  private static String area(Run run, int member, PictureAxes axes) {
    StringBuilder path = new StringBuilder();
    double zero = axes.y(0);
    path.append("M%s %s".formatted(SvgBuilder.number(axes.x(0)), SvgBuilder.number(zero)));
    for (long at = run.from(); at <= run.to(); at += STEP) {
      boolean first = Math.floorMod(at, run.cellNanos()) < STEP;
      double x = axes.x(run.seconds(at));
      if (first) {
        path.append("L%s %s".formatted(SvgBuilder.number(x), SvgBuilder.number(zero)));
      }
      path.append(
          "L%s %s"
              .formatted(
                  SvgBuilder.number(x), SvgBuilder.number(axes.y((double) run.used(at, member)))));
    }
    path.append(
        "L%s %sz"
            .formatted(SvgBuilder.number(axes.x(run.seconds(run.to()))), SvgBuilder.number(zero)));
    return path.toString();
  }
}
