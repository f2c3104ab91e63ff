package io.penstock.bench;

import io.penstock.bench.SimulatedOutcome.Request;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.QueueOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The picture in the chapter on choosing: one load through each order, and another through each
 * limit, simulated with the core on a fake clock.
 */
final class ChoicePicture {
  private static final int WIDTH = 900;
  private static final int LEFT = 34;
  private static final int TOP = 52;
  private static final int ORDER_COLUMNS = 3;
  private static final int LIMIT_COLUMNS = 2;
  private static final int ROW = 208;
  private static final int HEAD = 80;
  private static final double ORDERS_SECONDS = 60;
  private static final double MOST_WAIT_SECONDS = 45;
  private static final double LIMITS_SECONDS = 20;
  private static final int LIMITS_REQUESTS = 26;
  private static final List<String> FLOWS = List.of("chat", "agent", "batch");

  private static final Map<QueueOrder, String> ORDER_SAYS =
      Map.of(
          QueueOrder.FIFO, "oldest first",
          QueueOrder.LIFO, "newest first",
          QueueOrder.PRIORITY, "highest first, with ageing",
          QueueOrder.RANDOM, "anyone, by lot",
          QueueOrder.DEADLINE, "whoever gives up first",
          QueueOrder.FAIR, "who got least, first");

  private static final Map<LimitAlgorithm, String> LIMIT_SAYS =
      Map.of(
          LimitAlgorithm.STRICT, "2 a second, evenly",
          LimitAlgorithm.TOKEN_BUCKET, "2 a second, up to 6 at once",
          LimitAlgorithm.SLIDING_WINDOW, "at most 6 in any 3 seconds",
          LimitAlgorithm.TOKEN_WINDOW, "1,800 tokens in each 3 seconds");

  private static final String STYLE =
      """
      text { font: 12px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #1f2328 }
      .head { font-size: 15px; font-weight: 600 }
      .name { font: 600 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
      .soft, .tick { fill: #59636e }
      .tick { font-size: 11px }
      .end { text-anchor: end }
      .mid { text-anchor: middle }
      path { fill: none }
      .grid { stroke: #8c959f; stroke-opacity: .25 }
      .axis { stroke: #8c959f; stroke-opacity: .8 }
      .came { stroke: #8c959f; stroke-width: 1.5 }
      .went { stroke: currentColor; stroke-width: 2 }
      .waits { fill: currentColor; fill-opacity: .14 }
      circle { fill: currentColor; fill-opacity: .75 }
      .cross { stroke: currentColor; stroke-width: 1.5 }
      text.chat, text.agent, text.batch { fill: currentColor }
      .chat, .went, .waits { color: #0072b2 }
      .agent { color: #00855f }
      .batch { color: #d55e00 }
      @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3 }
        .soft, .tick { fill: #9aa4af }
        .chat, .went, .waits { color: #56b4e9 }
        .agent { color: #2fc796 }
        .batch { color: #f28a3c }
      }
      """;

  private ChoicePicture() {}

  /** Returns the SVG, which is the same each time. */
  static String draw() {
    List<QueueOrder> orders = List.of(QueueOrder.values());
    List<LimitAlgorithm> limits =
        Arrays.stream(LimitAlgorithm.values()).filter(each -> each != LimitAlgorithm.NONE).toList();
    int ordersHeight = HEAD + ROW * Math.ceilDiv(orders.size(), ORDER_COLUMNS);
    int limitsHeight = HEAD + ROW * Math.ceilDiv(limits.size(), LIMIT_COLUMNS);
    SvgBuilder svg =
        new SvgBuilder(
            WIDTH, ordersHeight + limitsHeight, "Waits by order, releases by limit", STYLE);
    ordersHead(svg);
    int column = WIDTH / ORDER_COLUMNS;
    for (int at = 0; at < orders.size(); at++) {
      svg.at(at % ORDER_COLUMNS * column, HEAD + at / ORDER_COLUMNS * ROW);
      order(svg, orders.get(at), column - LEFT - 16);
      svg.end();
    }
    svg.at(0, ordersHeight);
    limitsHead(svg);
    column = WIDTH / LIMIT_COLUMNS;
    for (int at = 0; at < limits.size(); at++) {
      svg.at(at % LIMIT_COLUMNS * column, HEAD + at / LIMIT_COLUMNS * ROW);
      limit(svg, limits.get(at), column - LEFT - 16);
      svg.end();
    }
    return svg.end().done();
  }

  private static void ordersHead(SvgBuilder svg) {
    svg.words("head", 0, 18, "How long a request waits: one load, 3 requests a second let go");
    svg.words(
        "soft",
        0,
        38,
        "A dot is a request, larger with more tokens; × gave up. Above: the median wait of a"
            + " flow.");
    svg.dot("chat", 5, 56, 3).words("soft", 14, 60, "chat: short, 1 a second, waits up to 20 s");
    svg.dot("agent", 285, 56, 4);
    svg.words("soft", 295, 60, "agent: 5 each 10 s, priority 1, up to 30 s");
    svg.dot("batch", 566, 56, 5).words("soft", 577, 60, "batch: long, 80 in 20 s, up to 40 s");
  }

  private static void limitsHead(SvgBuilder svg) {
    svg.words("head", 0, 18, "How many went: the same arrivals, each limit");
    svg.words("soft", 0, 38, "Four come, one more after a rest, and then many at once.");
    svg.stroke("came", 0, 56, 18, 56).words("soft", 24, 60, "came");
    svg.stroke("went", 70, 56, 88, 56).words("soft", 94, 60, "went");
    svg.path("waits", "M140 50h18v12h-18z").words("soft", 164, 60, "waiting");
  }

  private static void order(SvgBuilder svg, QueueOrder queueOrder, int width) {
    LimitSpec slots = new LimitSpec.Strict(new ExactRate(3, 1), 0);
    List<SimulatedOutcome> played =
        SimulatedOutcome.of(BenchCore.permit(slots, queueOrder), ordersLoad());
    title(svg, queueOrder.name().toLowerCase(Locale.ROOT), ORDER_SAYS.get(queueOrder));
    double x = LEFT;
    for (String flow : FLOWS) {
      String median = "%s %s s".formatted(flow, SvgBuilder.number(median(played, flow)));
      svg.words(flow, x, 34, median);
      x += 12 + 6.2 * median.length();
    }
    PictureAxes axes =
        new PictureAxes(svg, LEFT, TOP, width, ROW - TOP - 44, ORDERS_SECONDS, MOST_WAIT_SECONDS);
    axes.draw(10, 10, "arrival, s", "wait, s");
    List<SimulatedOutcome> largestFirst = new ArrayList<>(played);
    largestFirst.sort(Comparator.comparingLong(each -> -each.request().tokens()));
    for (SimulatedOutcome each : largestFirst) {
      double dotX = axes.x(each.request().atNanos() / 1e9);
      double dotY = axes.y(each.waitSeconds());
      String flow = each.request().flow();
      if (each.went()) {
        svg.dot(flow, dotX, dotY, Math.sqrt((double) each.request().tokens()) / 7 + 1);
      } else {
        svg.cross("cross " + flow, dotX, dotY, 3);
      }
    }
  }

  private static void title(SvgBuilder svg, String name, String says) {
    svg.words("name", LEFT, 16, name);
    svg.words("soft", LEFT + 8 + 8 * name.length(), 16, says);
  }

  private static double median(List<SimulatedOutcome> played, String flow) {
    double[] waits =
        played.stream()
            .filter(each -> each.request().flow().equals(flow))
            .mapToDouble(SimulatedOutcome::waitSeconds)
            .sorted()
            .toArray();
    return waits[waits.length / 2];
  }

  /** Three flows; only the heavy one asks for more than there is while it is active. */
  private static List<Request> ordersLoad() {
    SplittableRandom random = new SplittableRandom(3);
    List<Request> load = new ArrayList<>();
    for (int at = 0; at < 80; at++) {
      long when = at * BenchCore.SECOND / 4 + random.nextLong(BenchCore.SECOND / 4);
      load.add(new Request(when, "batch", 500 + random.nextInt(500), 0, 40 * BenchCore.SECOND));
    }
    for (int at = 0; at < 60; at++) {
      long when = at * BenchCore.SECOND + random.nextLong(BenchCore.SECOND / 2);
      load.add(new Request(when, "chat", 50 + random.nextInt(200), 0, 20 * BenchCore.SECOND));
    }
    for (int at = 0; at < 30; at++) {
      long when = (4 + at / 5 * 10L) * BenchCore.SECOND + random.nextLong(BenchCore.SECOND);
      load.add(new Request(when, "agent", 200 + random.nextInt(200), 1, 30 * BenchCore.SECOND));
    }
    load.sort(Comparator.comparingLong(Request::atNanos));
    return load;
  }

  private static void limit(SvgBuilder svg, LimitAlgorithm algorithm, int width) {
    List<SimulatedOutcome> played =
        SimulatedOutcome.of(BenchCore.permit(spec(algorithm), QueueOrder.FIFO), limitsLoad());
    title(svg, algorithm.text(), LIMIT_SAYS.get(algorithm));
    PictureAxes axes = new PictureAxes(svg, LEFT, 32, width, ROW - 32 - 44, LIMITS_SECONDS, 30);
    axes.draw(5, 10, "time, s", "requests");
    List<Double> came = played.stream().map(each -> each.request().atNanos() / 1e9).toList();
    List<Double> went = played.stream().map(each -> each.endNanos() / 1e9).sorted().toList();
    String up = axes.steps(came);
    svg.path("waits", up + axes.stepsBack(went) + "z");
    svg.path("came", up);
    svg.path("went", axes.steps(went));
  }

  private static LimitSpec spec(LimitAlgorithm algorithm) {
    return switch (algorithm) {
      case NONE -> new LimitSpec.Unlimited();
      case STRICT -> new LimitSpec.Strict(new ExactRate(2, 1), 0);
      case TOKEN_BUCKET -> new LimitSpec.TokenBucket(new ExactRate(2, 1), 6);
      case SLIDING_WINDOW -> new LimitSpec.SlidingWindow(6, 3 * BenchCore.SECOND);
      case TOKEN_WINDOW -> new LimitSpec.FixedWindow(1_800, 3 * BenchCore.SECOND);
    };
  }

  /** A few requests, a pause, and then more than any of the limits releases at once. */
  private static List<Request> limitsLoad() {
    SplittableRandom random = new SplittableRandom(5);
    List<Request> load = new ArrayList<>();
    for (int at = 0; at < LIMITS_REQUESTS; at++) {
      long millis = at < 4 ? 500 + 250L * at : 9_000 + 30L * at;
      millis = at == 4 ? 7_000 : millis;
      long tokens = 100L + random.nextInt(400);
      load.add(new Request(millis * 1_000_000, "any", tokens, 0, Long.MAX_VALUE));
    }
    return load;
  }
}
