package io.penstock.cli;

import io.penstock.cli.Look.Tone;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** Draws a board with the height of the terminal, and no line wider than the terminal. */
final class Screen {
  private static final int ROOMY = 16;
  private static final List<String> KEYS =
      List.of("q quit", "p pause", "r resume", "space test", "i info", "jk move");

  private final Look look;
  private final String address;

  Screen(Look look, String address) {
    this.look = look;
    this.address = address;
  }

  /** Returns the rows of the tree, which the view navigates. */
  List<Tree.Row> rows(Board board) {
    return Tree.rows(board.endpoints(), look);
  }

  /** Returns the lines. */
  List<AttributedString> draw(Board board, View view, int width, int height) {
    List<Tree.Row> rows = rows(board);
    List<AttributedString> lines = new ArrayList<>();
    lines.add(head(board, width));
    boolean roomy = height >= ROOMY;
    int room = height - lines.size() - 3 - (roomy ? 1 : 0);
    int pane = Math.max(view.info() ? room * 2 / 3 : room / 4, 3);
    int tree = Math.max(1, Math.min(rows.size(), room - pane));
    lines.addAll(tree(board, view, rows, new Area(width, tree, roomy)));
    Watched selected = view.endpoint(rows);
    int left = height - 2 - lines.size();
    if (view.info() && selected != null) {
      lines.add(rule(selected.path(), width));
      lines.addAll(details(board, view, selected, width, left));
    } else {
      lines.add(rule("events", width));
      lines.addAll(log(board, width, left));
    }
    while (lines.size() < height - 1) {
      lines.add(AttributedString.EMPTY);
    }
    lines.add(keys(width));
    return lines.subList(0, Math.min(height, lines.size()));
  }

  /** A part of the screen. */
  private record Area(int width, int height, boolean roomy) {}

  private AttributedString head(Board board, int width) {
    AttributedStyle style = look.style(Tone.PLAIN).inverse();
    String state = " " + state(board) + " ";
    int right = Math.min(width, Cells.width(state));
    AttributedStringBuilder line = new AttributedStringBuilder();
    String title =
        " penstock top %s  %s endpoints, %s waiting"
            .formatted(
                address, Figures.count(board.endpoints().size()), Figures.count(board.waiting()));
    look.cell(line, title, width - right, style);
    AttributedStyle tone = board.connected() ? style : look.style(Tone.BAD).inverse();
    look.cell(line, state, right, tone);
    return line.toAttributedString();
  }

  private static String state(Board board) {
    if (board.connected()) {
      return "connected";
    }
    return board.everConnected() ? "not connected: retrying" : "connecting";
  }

  private List<AttributedString> tree(Board board, View view, List<Tree.Row> rows, Area area) {
    int name = 0;
    int limit = 0;
    for (Tree.Row row : rows) {
      // Longer names are truncated anyway.
      name = Math.max(name, Math.min(80, row.branches().length() + row.label().length()));
      Watched of = row.endpoint();
      limit = Math.max(limit, of == null ? 0 : LimitText.of(of.config()).length());
    }
    Columns columns = new Columns(area.width(), name, limit, look);
    List<AttributedString> lines = new ArrayList<>();
    AttributedStyle soft = look.style(Tone.SOFT);
    if (area.roomy()) {
      AttributedStringBuilder spans = new AttributedStringBuilder();
      columns.spans(spans, Figures.seconds(board.watchedMillis()), soft);
      lines.add(spans.toAttributedString());
    }
    AttributedStringBuilder heads = new AttributedStringBuilder();
    columns.heads(heads, soft);
    lines.add(heads.toAttributedString());
    int place = view.place(rows);
    int from = Math.max(0, Math.min(place - area.height() / 2, rows.size() - area.height()));
    for (int at = from; at < Math.min(rows.size(), from + area.height()); at++) {
      AttributedStringBuilder line = new AttributedStringBuilder();
      columns.row(line, rows.get(at), board.now(), at == place);
      lines.add(line.toAttributedString());
    }
    return lines.stream().map(line -> line.columnSubSequence(0, area.width())).toList();
  }

  private AttributedString rule(String title, int width) {
    AttributedStringBuilder line = new AttributedStringBuilder();
    AttributedStyle soft = look.style(Tone.SOFT);
    line.append(look.rule().repeat(Math.min(2, width)), soft);
    String fit = Cells.fit(" " + look.harmless(title, width) + " ", width - 2, look.more());
    line.append(fit, soft);
    line.append(look.rule().repeat(Math.max(0, width - line.columnLength())), soft);
    return line.toAttributedString();
  }

  private List<AttributedString> log(Board board, int width, int height) {
    List<AttributedString> lines = new ArrayList<>();
    for (Board.Line each : board.log(Math.max(0, height))) {
      AttributedStringBuilder line = new AttributedStringBuilder();
      if (width >= 60) {
        line.append(each.time(), look.style(Tone.SOFT)).append(" ");
      }
      int what = width >= 60 ? 10 : 8;
      int columns = Math.max(what, Math.min(14, each.what().length()));
      look.cell(line, each.what(), columns, look.style(each.tone()));
      line.append(" ");
      String rest = each.endpoint().isEmpty() ? "" : look.harmless(each.endpoint(), 60) + " ";
      look.cell(
          line,
          rest + each.detail(),
          Math.max(0, width - line.columnLength()),
          look.style(Tone.PLAIN));
      lines.addFirst(line.toAttributedString().columnSubSequence(0, width));
    }
    return lines;
  }

  private List<AttributedString> details(
      Board board, View view, Watched of, int width, int height) {
    List<AttributedString> all = Details.lines(board, of, look, width);
    int most = Math.max(0, all.size() - height);
    view.skip(Math.min(0, most - view.skipped()));
    int from = Math.min(view.skipped(), most);
    return all.subList(from, Math.min(all.size(), from + Math.max(0, height)));
  }

  private AttributedString keys(int width) {
    StringBuilder text = new StringBuilder();
    for (String each : KEYS) {
      if (text.length() + each.length() > width) {
        break;
      }
      text.append(each).append("  ");
    }
    AttributedStringBuilder line = new AttributedStringBuilder();
    look.cell(line, text.toString(), width, look.style(Tone.SOFT));
    return line.toAttributedString();
  }
}
