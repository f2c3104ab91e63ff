package io.penstock.cli;

import io.penstock.config.FigureText;
import io.penstock.refusal.ReasonGuide;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** A ticket in sentences: whose it is, what holds or held it, and what can be done. */
final class TicketStory {
  private static final String WAITING = "waiting";

  private final JsonNode ticket;
  private final List<String> lines = new ArrayList<>();

  private TicketStory(JsonNode ticket) {
    this.ticket = ticket;
  }

  /** Returns the lines about a ticket in the form of {@code GET /tickets/ID}. */
  static List<String> of(JsonNode ticket) {
    TicketStory story = new TicketStory(ticket);
    if (ticket.path("refusal").isObject()) {
      story.refused(ticket.path("refusal"));
    } else if (WAITING.equals(ticket.path("state").asString())) {
      story.waiting();
    } else {
      story.gone();
    }
    return story.lines;
  }

  private void waiting() {
    JsonNode position = ticket.path("position");
    say(
        "%s waits at %s%s, for %s so far."
            .formatted(
                who(),
                text("path"),
                position.isNumber() ? " in place " + position.asLong() : "",
                seconds("waited_ms")));
    JsonNode binds = ticket.path("binds");
    if (binds.isObject()) {
      say("Why: " + binding(binds) + ".");
    }
    boolean bound = ticket.path("bound").asBoolean(false);
    JsonNode millis = ticket.path("expected_ms");
    String expected =
        millis.isNumber() && (!bound || millis.asLong() > 0)
            ? (bound ? "at least " : "about ") + seconds("expected_ms")
            : "nobody can tell how long";
    String deadline = text("deadline");
    say(
        "Still to wait: "
            + expected
            + (deadline.isEmpty() ? "" : "; it gives up at " + instant(deadline))
            + ".");
    say("The client should: Keep the connection open.");
    String advice = clean(binds.path("advice").asString(""));
    say("The operator can: " + (advice.isEmpty() ? "Nothing: its turn comes." : advice));
  }

  private void refused(JsonNode refusal) {
    String code = refusal.path("reason").asString("");
    say(
        "%s was refused at %s with %s %s, %s after it came at %s."
            .formatted(
                who(),
                text("path").isEmpty() ? "no endpoint" : text("path"),
                refusal.path("status").asString(),
                code,
                seconds("waited_ms"),
                instant(text("arrived_at"))));
    say("Why: " + clean(refusal.path("detail").asString("")) + ".");
    if (ticket.path("binds").isObject()) {
      say("What held it: " + binding(ticket.path("binds")) + ".");
    }
    JsonNode retry = refusal.path("retry_after_ms");
    if (retry.isNumber()) {
      say("A retry was advised after %s.".formatted(FigureText.time(retry.asLong())));
    }
    guide(code)
        .ifPresent(
            guide -> {
              say("It means: " + plain(guide.when()));
              say("The client should: " + plain(guide.client()));
              say("The operator can: " + plain(guide.operator()));
            });
  }

  private void gone() {
    String upstream = text("upstream").isEmpty() ? "" : " by upstream " + text("upstream");
    String since =
        switch (text("state")) {
          case "running" -> "is being served" + upstream;
          case "served" -> "was served" + upstream;
          case "cancelled" -> "was given up by its client";
          default -> "is " + text("state");
        };
    say(
        "%s waited at %s for %s and %s."
            .formatted(who(), text("path"), seconds("waited_ms"), since));
    if (ticket.path("binds").isObject()) {
      say("What held it: " + binding(ticket.path("binds")) + ".");
    }
  }

  private String who() {
    String request = text("request_id");
    String key = text("key");
    String model = text("model");
    return (request.isEmpty() ? "Ticket " + ticket.path("id").asString() : "Request " + request)
        + (key.isEmpty() ? ", without a key," : " of key " + key)
        + (model.isEmpty() ? "" : " for model " + model);
  }

  private static String binding(JsonNode binds) {
    String until = binds.path("until").asString("");
    return clean(binds.path("detail").asString(""))
        + (until.isEmpty() ? "" : ", until " + instant(until));
  }

  private static Optional<ReasonGuide> guide(String code) {
    return Stream.of(RefusalReason.values())
        .filter(each -> each.code().equals(code))
        .findFirst()
        .map(ReasonGuide::of);
  }

  private void say(String line) {
    lines.add(line);
  }

  private static String clean(String text) {
    return GatewayCommand.harmless(text);
  }

  /** Returns an instant without the fractions of its second. */
  private static String instant(String text) {
    return clean(text.replaceFirst("\\.\\d+Z$", "Z"));
  }

  /** Returns a sentence without the marks of code. */
  private static String plain(String sentence) {
    return sentence.replace("`", "");
  }

  private String seconds(String member) {
    return FigureText.time(ticket.path(member).asLong(0));
  }

  private String text(String member) {
    return clean(ticket.path(member).asString(""));
  }
}
