package io.penstock.cli;

import io.penstock.cli.TerminalStyle.Tone;
import io.penstock.config.FigureText;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** Draws a board with the height of the terminal, and no line wider than the terminal. */
final class BoardScreen {
  private static final List<String> KEYS =
      List.of("q quit", "p pause", "r resume", "space test", "i info", "jk move");

  private final TerminalStyle terminalStyle;
  private final String address;

  BoardScreen(TerminalStyle terminalStyle, String address) {
    this.terminalStyle = terminalStyle;
    this.address = address;
  }

  /** Returns the rows of the tree, which the view navigates. */
  List<EndpointTree.Row> rows(GatewayBoard gatewayBoard) {
    return EndpointTree.rows(gatewayBoard.endpoints(), terminalStyle);
  }

  /** Returns the lines. */
  List<AttributedString> draw(
      GatewayBoard gatewayBoard, BoardView boardView, int width, int height) {
    List<EndpointTree.Row> rows = rows(gatewayBoard);
    List<AttributedString> lines = new ArrayList<>();
    lines.add(head(gatewayBoard, width));
    int room = height - lines.size() - 3;
    int pane = Math.max(boardView.info() ? room * 2 / 3 : room / 4, 3);
    int tree = Math.max(1, Math.min(rows.size(), room - pane));
    lines.addAll(tree(gatewayBoard, boardView, rows, width, tree));
    WatchedEndpoint selected = boardView.endpoint(rows);
    int left = height - 2 - lines.size();
    if (boardView.info() && selected != null) {
      lines.add(rule(selected.path(), width));
      lines.addAll(details(gatewayBoard, boardView, selected, width, left));
    } else {
      lines.add(rule("events", width));
      lines.addAll(log(gatewayBoard, width, left));
    }
    while (lines.size() < height - 1) {
      lines.add(AttributedString.EMPTY);
    }
    lines.add(keys(width));
    return lines.subList(0, Math.min(height, lines.size()));
  }

  private AttributedString head(GatewayBoard gatewayBoard, int width) {
    AttributedStyle style = terminalStyle.style(Tone.PLAIN).inverse();
    String state = " " + state(gatewayBoard) + " ";
    int right = Math.min(width, TerminalCells.width(state));
    AttributedStringBuilder line = new AttributedStringBuilder();
    String version = gatewayBoard.instance().path("version").asString("");
    long unhealthy = gatewayBoard.unhealthy();
    String title =
        " penstock%s  %s waiting, %s served, %s refused%s  %s"
            .formatted(
                version.isEmpty() ? "" : " " + terminalStyle.harmless(version, 20),
                FigureText.count(gatewayBoard.sum("queue_depth")),
                FigureText.count(gatewayBoard.sum("served")),
                FigureText.count(gatewayBoard.sum("refused") + gatewayBoard.sum("expired")),
                unhealthy == 0
                    ? ""
                    : ", " + unhealthy + (unhealthy == 1 ? " upstream" : " upstreams") + " down",
                address);
    terminalStyle.cell(line, title, width - right, style);
    AttributedStyle tone =
        gatewayBoard.connected() ? style : terminalStyle.style(Tone.BAD).inverse();
    terminalStyle.cell(line, state, right, tone);
    return line.toAttributedString();
  }

  private static String state(GatewayBoard gatewayBoard) {
    if (gatewayBoard.connected()) {
      return gatewayBoard.instance().path("stopping").asBoolean(false) ? "stopping" : "live";
    }
    return gatewayBoard.everConnected() ? "not connected: trying again" : "connecting";
  }

  private List<AttributedString> tree(
      GatewayBoard gatewayBoard,
      BoardView boardView,
      List<EndpointTree.Row> rows,
      int width,
      int height) {
    int name = 0;
    int held = 0;
    int limit = 0;
    for (EndpointTree.Row row : rows) {
      // Longer names are truncated anyway.
      name = Math.max(name, Math.min(80, row.branches().length() + row.label().length()));
      WatchedEndpoint of = row.endpoint();
      held = Math.max(held, of == null ? 0 : of.heldBy(gatewayBoard.zone()).length());
      limit = Math.max(limit, of == null ? 0 : of.text("limit").length());
    }
    TableColumns tableColumns =
        new TableColumns(width, name, held, limit, terminalStyle, gatewayBoard.zone());
    List<AttributedString> lines = new ArrayList<>();
    AttributedStringBuilder heads = new AttributedStringBuilder();
    tableColumns.heads(heads, terminalStyle.style(Tone.SOFT));
    lines.add(heads.toAttributedString());
    int place = boardView.place(rows);
    int from = Math.max(0, Math.min(place - height / 2, rows.size() - height));
    for (int at = from; at < Math.min(rows.size(), from + height); at++) {
      AttributedStringBuilder line = new AttributedStringBuilder();
      tableColumns.row(line, rows.get(at), at == place);
      lines.add(line.toAttributedString());
    }
    return lines.stream().map(line -> line.columnSubSequence(0, width)).toList();
  }

  private AttributedString rule(String title, int width) {
    AttributedStringBuilder line = new AttributedStringBuilder();
    AttributedStyle soft = terminalStyle.style(Tone.SOFT);
    line.append(terminalStyle.rule().repeat(Math.min(2, width)), soft);
    String fit =
        TerminalCells.fit(
            " " + terminalStyle.harmless(title, width) + " ", width - 2, terminalStyle.more());
    line.append(fit, soft);
    line.append(terminalStyle.rule().repeat(Math.max(0, width - line.columnLength())), soft);
    return line.toAttributedString();
  }

  private List<AttributedString> log(GatewayBoard gatewayBoard, int width, int height) {
    List<AttributedString> lines = new ArrayList<>();
    for (GatewayBoard.Line each : gatewayBoard.log(Math.max(0, height))) {
      AttributedStringBuilder line = new AttributedStringBuilder();
      if (width >= 60) {
        line.append(each.time(), terminalStyle.style(Tone.SOFT)).append(" ");
      }
      int what = width >= 60 ? 10 : 8;
      int columns = Math.max(what, Math.min(14, each.what().length()));
      terminalStyle.cell(line, each.what(), columns, terminalStyle.style(each.tone()));
      line.append(" ");
      String rest =
          each.endpoint().isEmpty() ? "" : terminalStyle.harmless(each.endpoint(), 60) + " ";
      terminalStyle.cell(
          line,
          rest + each.detail(),
          Math.max(0, width - line.columnLength()),
          terminalStyle.style(Tone.PLAIN));
      lines.addFirst(line.toAttributedString().columnSubSequence(0, width));
    }
    return lines;
  }

  private List<AttributedString> details(
      GatewayBoard gatewayBoard, BoardView boardView, WatchedEndpoint of, int width, int height) {
    List<AttributedString> all = EndpointDetails.lines(gatewayBoard, of, terminalStyle, width);
    int most = Math.max(0, all.size() - Math.max(0, height));
    boardView.skip(Math.min(0, most - boardView.skipped()));
    int from = Math.min(boardView.skipped(), most);
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
    terminalStyle.cell(line, text.toString(), width, terminalStyle.style(Tone.SOFT));
    return line.toAttributedString();
  }
}
