package io.penstock.cli;

import io.penstock.cli.TerminalStyle.Tone;
import io.penstock.config.FigureText;
import java.time.ZoneId;
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
    WAITING("WAITING", 7),
    DOTS("", 10),
    OLDEST("OLDEST", 6),
    P50("P50", 5),
    P90("P90", 5),
    P99("P99", 5),
    USED("USED", 4),
    BAR("", 5),
    HELD_BY("HELD BY", 12),
    SERVED("SERVED", 6),
    REFUSED("REFUSED", 7),
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
          Column.USED,
          Column.SERVED,
          Column.REFUSED,
          Column.OLDEST,
          Column.P50,
          Column.P90,
          Column.P99,
          Column.HELD_BY,
          Column.BAR,
          Column.LIMIT);

  /** The columns of words, which are aligned to the left. */
  private static final Set<Column> WORDS =
      EnumSet.of(Column.NAME, Column.DOTS, Column.HELD_BY, Column.LIMIT);

  private static final int MOST_HELD = 60;
  private static final int MOST_DOTS = 60;

  private final Map<Column, Integer> widths = new EnumMap<>(Column.class);
  private final TerminalStyle terminalStyle;
  private final ZoneId zone;

  /**
   * Distributes {@code columns} of the terminal.
   *
   * @param name width of the widest name
   * @param held width of the widest description of what is waited for
   * @param limit width of the widest limit
   * @param zone of the times that are shown
   */
  TableColumns(
      int columns, int name, int held, int limit, TerminalStyle terminalStyle, ZoneId zone) {
    this.terminalStyle = terminalStyle;
    this.zone = zone;
    int left = columns + 1;
    for (Column each : WANTED) {
      if (left < each.least + 1) {
        break;
      }
      widths.put(each, each.least);
      left -= each.least + 1;
    }
    left -= widen(Column.NAME, left * 2 / 3, Math.min(name, Math.max(20, columns / 5)));
    left -= widen(Column.HELD_BY, left, Math.min(held, MOST_HELD));
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
      gap(line, each, style);
      if (WORDS.contains(each)) {
        TerminalCells.left(line, each.head, width(each), terminalStyle.more(), style);
      } else {
        TerminalCells.right(line, each.head, width(each), style);
      }
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
  void row(AttributedStringBuilder line, EndpointTree.Row row, boolean selected) {
    AttributedStyle plain = terminalStyle.style(Tone.PLAIN);
    WatchedEndpoint of = row.endpoint();
    name(line, row, selected);
    if (of == null) {
      return;
    }
    String trouble = of.trouble(zone);
    Set<Column> spanned = trouble.isEmpty() ? Set.of() : spannedByTrouble();
    for (Column each : shown()) {
      if (spanned.contains(each)) {
        if (!trouble.isEmpty()) {
          gap(line, each, plain);
          int width = spanned.stream().mapToInt(column -> width(column) + 1).sum() - 1;
          terminalStyle.cell(line, trouble, width, terminalStyle.style(of.tone()));
          trouble = "";
        }
        continue;
      }
      gap(line, each, plain);
      int width = width(each);
      switch (each) {
        case NAME -> {}
        case WAITING -> {
          Tone tone = of.depth() > 0 ? Tone.STRONG : Tone.SOFT;
          TerminalCells.right(line, FigureText.count(of.depth()), width, terminalStyle.style(tone));
        }
        case DOTS -> dots(line, of, width);
        case BAR -> line.append(terminalStyle.bar(of.utilization(), width), terminalStyle.use());
        case HELD_BY ->
            terminalStyle.cell(line, of.text("held_by"), width, terminalStyle.style(Tone.PLAIN));
        case LIMIT ->
            terminalStyle.cell(line, of.text("limit"), width, terminalStyle.style(Tone.SOFT));
        default -> TerminalCells.right(line, figure(each, of), width, style(each, of));
      }
    }
  }

  /**
   * Returns the columns in whose place an endpoint that lets nothing go tells why: those of the
   * wait, and on a narrow terminal the dots, too.
   */
  private Set<Column> spannedByTrouble() {
    Set<Column> spanned =
        EnumSet.range(has(Column.HELD_BY) ? Column.OLDEST : Column.DOTS, Column.HELD_BY);
    spanned.retainAll(widths.keySet());
    return spanned;
  }

  private void name(AttributedStringBuilder line, EndpointTree.Row row, boolean selected) {
    int width = width(Column.NAME);
    int lead = Math.min(TerminalCells.width(row.branches()), Math.max(0, width - 8));
    line.append(row.branches().substring(0, lead), terminalStyle.style(Tone.SOFT));
    WatchedEndpoint of = row.endpoint();
    AttributedStyle style = terminalStyle.style(of == null ? Tone.SOFT : Tone.PLAIN);
    terminalStyle.cell(line, row.label(), width - lead, selected ? style.inverse() : style);
  }

  private AttributedStyle style(Column column, WatchedEndpoint of) {
    if (column == Column.USED) {
      return terminalStyle.use();
    }
    boolean some = column == Column.REFUSED && refused(of) > 0;
    return terminalStyle.style(some ? Tone.FAIR : Tone.PLAIN);
  }

  private static String figure(Column column, WatchedEndpoint of) {
    return switch (column) {
      case OLDEST -> of.oldest();
      case P50 -> of.wait("p50_ms");
      case P90 -> of.wait("p90_ms");
      case P99 -> of.wait("p99_ms");
      case USED -> FigureText.percent(of.utilization());
      case SERVED -> FigureText.count(of.figure("served"));
      case REFUSED -> FigureText.count(refused(of));
      default -> "";
    };
  }

  /** Returns the number of tickets that were refused, at arrival or later. */
  private static long refused(WatchedEndpoint of) {
    return of.figure("refused") + of.figure("expired");
  }

  private void dots(AttributedStringBuilder line, WatchedEndpoint of, int width) {
    int used = 0;
    if (of.paused()) {
      String paused = terminalStyle.unicode() ? "‖ " : "= ";
      TerminalCells.left(line, paused, 2, "", terminalStyle.style(Tone.BAD));
      used = 2;
    }
    boolean more = of.depth() > width - used;
    long dots = more ? width - used - 1 : of.depth();
    for (long place = 0; place < dots; place++) {
      Tone age = of.age(place);
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
