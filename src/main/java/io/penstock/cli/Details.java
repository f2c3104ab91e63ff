package io.penstock.cli;

import io.penstock.cli.Look.Tone;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Stream;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import tools.jackson.databind.JsonNode;

/** The detail view of one endpoint: its figures, its upstreams and their limits, its settings. */
final class Details {
  private static final int BAR = 12;

  private final Look look;
  private final int width;
  private final List<AttributedString> lines = new ArrayList<>();

  private Details(Look look, int width) {
    this.look = look;
    this.width = width;
  }

  static List<AttributedString> lines(Board board, Watched of, Look look, int width) {
    Details details = new Details(look, width);
    details.figures(of);
    for (JsonNode upstream : of.config().path("upstreams")) {
      details.upstream(upstream, board.upstream(upstream.path("id").asString("")));
    }
    details.add(Tone.STRONG, "settings");
    details.settings("", of.config());
    return details.lines;
  }

  private void add(Tone tone, String text) {
    AttributedStringBuilder line = new AttributedStringBuilder();
    look.cell(line, text, width, look.style(tone));
    lines.add(line.toAttributedString());
  }

  private void figures(Watched of) {
    add(
        Tone.PLAIN,
        "waiting %s (%s tokens, %s bytes), the oldest for %s"
            .formatted(
                Figures.count(of.depth()),
                Figures.count(of.figure("queued_tokens")),
                Figures.count(of.figure("queued_bytes")),
                Figures.time(of.figure("oldest_wait_ms"))));
    add(
        Tone.PLAIN,
        "served %d, refused %d, expired %d, cancelled %d%s"
            .formatted(
                of.figure("served"),
                of.figure("refused"),
                of.figure("expired"),
                of.figure("cancelled"),
                of.paused() ? "; paused" : ""));
  }

  private void upstream(JsonNode configured, JsonNode now) {
    String health = now.path("health").asString("");
    StringJoiner words = new StringJoiner(", ", "upstream ", "");
    words.add(configured.path("id").asString(""));
    Stream.of(now.path("url").asString(configured.path("url").asString("")), health)
        .filter(each -> !each.isEmpty())
        .forEach(words::add);
    JsonNode error = now.path("last_error").path("what");
    if (error.isString()) {
      words.add("last trouble: " + error.stringValue());
    }
    add(health.equals("unhealthy") ? Tone.BAD : Tone.STRONG, words.toString());
    for (JsonNode pool : now.path("pools")) {
      pool(pool);
    }
  }

  private void pool(JsonNode pool) {
    String until = pool.path("paused_until").asString("");
    if (!until.isEmpty()) {
      add(Tone.BAD, "  " + pool.path("name").asString("") + " is paused until " + until);
    }
    for (JsonNode limit : pool.path("limits")) {
      limit(pool.path("name").asString(""), limit);
    }
  }

  private void limit(String pool, JsonNode limit) {
    long most = limit.path("effective").asLong(0);
    long used = limit.path("used_global").asLong(0) + limit.path("held").asLong(0);
    double part = most == 0 ? 0 : (double) used / (double) most;
    Tone tone = part >= 0.9 ? Tone.BAD : part >= 0.7 ? Tone.FAIR : Tone.GOOD;
    AttributedStringBuilder line = new AttributedStringBuilder();
    int bar = Math.min(BAR, Math.max(0, width - 8));
    line.append("  ").append(look.bar(part, bar), look.style(tone));
    Cells.right(line, Figures.percent(part), 5, look.style(tone));
    String text =
        " %s: %s of %s %s, %s left"
            .formatted(
                pool,
                Figures.count(used),
                Figures.count(most),
                limit.path("measure").asString(""),
                Figures.count(limit.path("remaining").asLong(0)));
    look.cell(line, text, Math.max(0, width - line.columnLength()), look.style(Tone.PLAIN));
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
        look.cell(line, "  " + all.get(at), width / columns, look.style(Tone.PLAIN));
      }
      lines.add(line.toAttributedString());
    }
  }
}
