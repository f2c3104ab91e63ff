package io.penstock.cli;

import io.penstock.cli.TerminalStyle.Tone;
import io.penstock.config.FigureText;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Stream;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import tools.jackson.databind.JsonNode;

/** The detail view of one endpoint: its figures, its upstreams and their limits, its settings. */
final class EndpointDetails {
  private static final int BAR = 12;

  private final TerminalStyle terminalStyle;
  private final int width;
  private final ZoneId zone;
  private final List<AttributedString> lines = new ArrayList<>();

  private EndpointDetails(TerminalStyle terminalStyle, int width, ZoneId zone) {
    this.zone = zone;
    this.terminalStyle = terminalStyle;
    this.width = width;
  }

  static List<AttributedString> lines(
      GatewayBoard board, WatchedEndpoint of, TerminalStyle terminalStyle, int width) {
    EndpointDetails details = new EndpointDetails(terminalStyle, width, board.zone());
    details.figures(of);
    JsonNode config = board.config(of.path());
    for (JsonNode upstream : config.path("upstreams")) {
      details.upstream(upstream, board.upstream(upstream.path("id").asString("")));
    }
    details.add(Tone.STRONG, "settings");
    details.settings("", config);
    return details.lines;
  }

  private void add(Tone tone, String text) {
    AttributedStringBuilder line = new AttributedStringBuilder();
    terminalStyle.cell(line, text, width, terminalStyle.style(tone));
    lines.add(line.toAttributedString());
  }

  private void figures(WatchedEndpoint of) {
    add(
        Tone.PLAIN,
        "waiting %s (%s tokens, %s bytes), oldest %s, held by %s"
            .formatted(
                FigureText.count(of.depth()),
                of.count("queued_tokens"),
                of.count("queued_bytes"),
                of.oldest(),
                of.text("held_by").isEmpty() ? "-" : of.text("held_by")));
    add(
        Tone.PLAIN,
        "served %d, refused %d, expired %d, cancelled %d%s"
            .formatted(
                of.figure("served"),
                of.figure("refused"),
                of.figure("expired"),
                of.figure("cancelled"),
                of.paused() ? "; paused" : ""));
    String trouble = of.trouble(zone);
    if (!trouble.isEmpty()) {
      add(of.tone(), of.state() + ": " + trouble);
    }
  }

  private void upstream(JsonNode configured, JsonNode now) {
    String health = now.path("health").asString("");
    StringJoiner words = new StringJoiner(", ", "upstream ", "");
    words.add(configured.path("id").asString(""));
    Stream.of(now.path("url").asString(configured.path("url").asString("")), health)
        .filter(each -> !each.isEmpty())
        .forEach(words::add);
    JsonNode disabled = now.path("disabled_because");
    if (disabled.isString()) {
      words.add(disabled.stringValue());
    }
    JsonNode error = now.path("last_error").path("what");
    if (error.isString()) {
      words.add("last error: " + error.stringValue());
    }
    add(health.equals("unhealthy") ? Tone.BAD : Tone.STRONG, words.toString());
    paused("all of it", now);
    for (JsonNode hold : now.path("holds")) {
      String model = hold.path("model").asString("");
      paused(hold.path("one_tenant").asBoolean(false) ? model + " of one tenant" : model, hold);
    }
    for (JsonNode pool : now.path("pools")) {
      pool(pool);
    }
  }

  private void paused(String what, JsonNode of) {
    String until = of.path("paused_until").asString("");
    if (!until.isEmpty()) {
      add(Tone.BAD, "  " + what + " is paused until " + until);
    }
  }

  private void pool(JsonNode pool) {
    paused(pool.path("name").asString(""), pool);
    for (JsonNode limit : pool.path("limits")) {
      limit(pool.path("name").asString(""), limit);
    }
  }

  private void limit(String pool, JsonNode limit) {
    long most = limit.path("effective").asLong(0);
    long used = limit.path("used_global").asLong(0) + limit.path("held").asLong(0);
    double part = most == 0 ? 0 : (double) used / (double) most;
    AttributedStyle style = terminalStyle.use();
    AttributedStringBuilder line = new AttributedStringBuilder();
    int bar = Math.min(BAR, Math.max(0, width - 8));
    line.append("  ").append(terminalStyle.bar(part, bar), style);
    TerminalCells.right(line, FigureText.percent(part), 5, style);
    String text =
        " %s: %s of %s %s, %s left"
            .formatted(
                pool,
                FigureText.count(used),
                FigureText.count(most),
                limit.path("measure").asString(""),
                FigureText.count(limit.path("remaining").asLong(0)));
    terminalStyle.cell(
        line, text, Math.max(0, width - line.columnLength()), terminalStyle.style(Tone.PLAIN));
    lines.add(line.toAttributedString().columnSubSequence(0, width));
  }

  /** Writes settings, as many on a line as fit. */
  private void settings(String lead, JsonNode config) {
    List<String> all = new ArrayList<>();
    config
        .properties()
        .forEach(
            each -> {
              JsonNode value = each.getValue();
              if (value.isValueNode()) {
                all.add(lead + each.getKey() + ": " + (value.isNull() ? "-" : value.asString()));
              }
            });
    int columns = Math.max(1, width / 38);
    int rows = Math.ceilDiv(all.size(), columns);
    for (int row = 0; row < rows; row++) {
      AttributedStringBuilder line = new AttributedStringBuilder();
      for (int at = row; at < all.size(); at += rows) {
        terminalStyle.cell(
            line, "  " + all.get(at), width / columns, terminalStyle.style(Tone.PLAIN));
      }
      lines.add(line.toAttributedString());
    }
  }
}
