package io.penstock.cli;

import io.penstock.cli.TerminalStyle.Tone;
import io.penstock.config.FigureText;
import io.penstock.config.LimitText;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** Chooses the columns that fit, the most important ones first, and their widths. */
final class TableColumns {
  /** The columns of an endpoint, from left to right. */
  enum Column {
    NAME("ENDPOINT", 12),
    WAITING("WAIT", 4),
    DOTS("", 10),
    USE("USE", 4),
    BAR("", 5),
    SERVED("SERVED", 6),
    REFUSED("REFUSED", 7),
    P50("P50", 5),
    P90("P90", 5),
    P99("P99", 5),
    LAST("LAST", 5),
    SUM("SUM", 6),
    TOKENS("TOKENS", 6),
    LIMIT("LIMIT", 12);

    private final String head;
    private final int least;

    Column(String head, int least) {
      this.head = head;
      this.least = least;
    }
  }

  private static final List<Column> WANTED =
      List.of(
          Column.NAME,
          Column.WAITING,
          Column.DOTS,
          Column.USE,
          Column.SERVED,
          Column.P50,
          Column.REFUSED,
          Column.P90,
          Column.P99,
          Column.LAST,
          Column.BAR,
          Column.LIMIT,
          Column.SUM,
          Column.TOKENS);

  private static final Set<Column> TOTALS = EnumSet.of(Column.SERVED, Column.REFUSED);
  private static final Set<Column> WATCHED = EnumSet.range(Column.P50, Column.TOKENS);

  private static final int MOST_DOTS = 60;

  private final Map<Column, Integer> widths = new EnumMap<>(Column.class);
  private final TerminalStyle terminalStyle;

  /**
   * Distributes {@code columns} of the terminal.
   *
   * @param name width of the widest name
   * @param limit width of the widest limit
   */
  TableColumns(int columns, int name, int limit, TerminalStyle terminalStyle) {
    this.terminalStyle = terminalStyle;
    int left = columns + 1;
    for (Column each : WANTED) {
      if (left < each.least + 1) {
        break;
      }
      widths.put(each, each.least);
      left -= each.least + 1;
    }
    left -= widen(Column.NAME, left * 2 / 3, Math.min(name, Math.max(20, columns / 5)));
    left -= widen(Column.LIMIT, left / 2, limit);
    left -= widen(Column.BAR, left / 4, 12);
    left -= widen(Column.DOTS, left, MOST_DOTS);
    left -= widen(Column.NAME, left, name);
    widen(Column.DOTS, left, columns);
  }

  private int widen(Column column, int most, int wanted) {
    Integer width = widths.get(column);
    if (width == null) {
      return 0;
    }
    int more = Math.max(0, Math.min(most, wanted - width));
    widths.put(column, width + more);
    return more;
  }

  /** Returns the width of a column; 0 if it is left out. */
  int width(Column column) {
    return widths.getOrDefault(column, 0);
  }

  boolean has(Column column) {
    return widths.containsKey(column);
  }

  /** Writes the column titles. */
  void heads(AttributedStringBuilder line, AttributedStyle style) {
    for (Column each : shown()) {
      boolean left = each == Column.NAME || each == Column.LIMIT || each == Column.DOTS;
      gap(line, each, style);
      if (left) {
        TerminalCells.left(line, each.head, width(each), terminalStyle.more(), style);
      } else {
        TerminalCells.right(line, each.head, width(each), style);
      }
    }
  }

  /**
   * Writes the period that the figures below cover: the life of the gateway, or the time it has
   * been watched.
   */
  void spans(AttributedStringBuilder line, String watched, AttributedStyle style) {
    span(line, TOTALS, "in all", style);
    span(line, WATCHED, "since attach: " + watched, style);
  }

  /** Writes one such period above its columns, which are adjacent. */
  private void span(
      AttributedStringBuilder line, Set<Column> of, String text, AttributedStyle style) {
    int begin = -1;
    int end = 0;
    int at = 0;
    for (Column each : shown()) {
      at += each == Column.NAME ? 0 : 1;
      if (of.contains(each)) {
        begin = begin < 0 ? at : begin;
        end = at + width(each);
      }
      at += width(each);
    }
    if (begin >= 0) {
      line.append(" ".repeat(begin - line.columnLength()), style);
      TerminalCells.right(line, text, end - begin, style);
    }
  }

  private List<Column> shown() {
    List<Column> all = new ArrayList<>();
    for (Column each : Column.values()) {
      if (has(each)) {
        all.add(each);
      }
    }
    return all;
  }

  private static void gap(AttributedStringBuilder line, Column column, AttributedStyle style) {
    if (column != Column.NAME) {
      line.append(" ", style);
    }
  }

  /** Writes the row of an endpoint, or only the name of a path segment. */
  void row(AttributedStringBuilder line, EndpointTree.Row row, long now, boolean selected) {
    AttributedStyle plain = terminalStyle.style(Tone.PLAIN);
    WatchedEndpoint of = row.endpoint();
    name(line, row, selected);
    if (of == null) {
      return;
    }
    for (Column each : shown()) {
      gap(line, each, plain);
      int width = width(each);
      switch (each) {
        case NAME -> {}
        case WAITING -> {
          Tone tone = of.depth() > 0 ? Tone.STRONG : Tone.SOFT;
          TerminalCells.right(line, FigureText.count(of.depth()), width, terminalStyle.style(tone));
        }
        case DOTS -> dots(line, of, now, width);
        case BAR -> line.append(terminalStyle.bar(of.utilization(), width), use(of));
        case LIMIT ->
            terminalStyle.cell(
                line, LimitText.of(of.config()), width, terminalStyle.style(Tone.SOFT));
        default -> TerminalCells.right(line, figure(each, of), width, style(each, of));
      }
    }
  }

  private void name(AttributedStringBuilder line, EndpointTree.Row row, boolean selected) {
    int width = width(Column.NAME);
    int lead = Math.min(TerminalCells.width(row.branches()), Math.max(0, width - 8));
    line.append(row.branches().substring(0, lead), terminalStyle.style(Tone.SOFT));
    WatchedEndpoint of = row.endpoint();
    AttributedStyle style = terminalStyle.style(of == null ? Tone.SOFT : Tone.PLAIN);
    terminalStyle.cell(line, row.label(), width - lead, selected ? style.inverse() : style);
  }

  private AttributedStyle use(WatchedEndpoint of) {
    double part = of.utilization();
    return terminalStyle.style(part >= 0.9 ? Tone.BAD : part >= 0.7 ? Tone.FAIR : Tone.GOOD);
  }

  private AttributedStyle style(Column column, WatchedEndpoint of) {
    if (column == Column.USE) {
      return of.paused() ? terminalStyle.style(Tone.BAD) : use(of);
    }
    boolean bad = column == Column.REFUSED && of.figure("refused") > 0;
    return terminalStyle.style(bad ? Tone.BAD : Tone.PLAIN);
  }

  private static String figure(Column column, WatchedEndpoint of) {
    WaitStatistics waitStatistics = of.waits();
    boolean none = waitStatistics.count() == 0;
    return switch (column) {
      case USE -> FigureText.percent(of.utilization());
      case SERVED -> FigureText.count(of.figure("served"));
      case REFUSED -> FigureText.count(of.figure("refused"));
      case P50 -> none ? "-" : FigureText.time(waitStatistics.percentile(0.5));
      case P90 -> none ? "-" : FigureText.time(waitStatistics.percentile(0.9));
      case P99 -> none ? "-" : FigureText.time(waitStatistics.percentile(0.99));
      case LAST -> none ? "-" : FigureText.time(waitStatistics.last());
      case SUM -> none ? "-" : FigureText.time(waitStatistics.sum());
      case TOKENS -> none ? "-" : FigureText.count(of.tokens());
      default -> "";
    };
  }

  private void dots(AttributedStringBuilder line, WatchedEndpoint of, long now, int width) {
    int used = 0;
    if (of.paused()) {
      String paused = terminalStyle.unicode() ? "‖ " : "= ";
      TerminalCells.left(line, paused, 2, "", terminalStyle.style(Tone.BAD));
      used = 2;
    }
    boolean more = of.depth() > width - used;
    for (Tone age : of.ages(more ? width - used - 1 : width - used, now)) {
      line.append(terminalStyle.dot(age), terminalStyle.style(age));
      used++;
    }
    if (more && used < width) {
      line.append(terminalStyle.more(), terminalStyle.style(Tone.SOFT));
      used++;
    }
    line.append(" ".repeat(width - used), terminalStyle.style(Tone.PLAIN));
  }
}
