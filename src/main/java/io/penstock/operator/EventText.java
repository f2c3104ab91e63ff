package io.penstock.operator;

import io.penstock.config.FigureText;
import io.penstock.event.Event;
import io.penstock.refusal.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Description of an event for people, in addition to its name, endpoint and ticket. The console and
 * {@code top} show it as it is.
 *
 * @param words phrases; each has at most one name that somebody else has chosen
 */
record EventText(EventTone tone, List<String> words) {
  /** The meaning of an event, from which its colour follows. */
  enum EventTone {
    PLAIN,
    NEWS,
    GOOD,
    FAIR,
    BAD,
    ODD
  }

  private static final EventText SERVED = new EventText(EventTone.GOOD, List.of());
  private static final EventText CANCELLED = new EventText(EventTone.FAIR, List.of());

  /** Returns the description of an event, or null if the event is not worth a line. */
  static @Nullable EventText of(Event event) {
    return switch (event) {
      case Event.Queued queued -> {
        long tokens = queued.cost().inputTokens() + queued.cost().outputTokens();
        yield new EventText(EventTone.NEWS, List.of(FigureText.count(tokens) + " tokens"));
      }
      case Event.Released released ->
          new EventText(
              EventTone.PLAIN,
              phrases(
                  waited(released.waitedNanos()),
                  released.upstream() == null ? null : "to " + released.upstream(),
                  released.model() == null ? null : "model " + released.model()));
      case Event.Served served -> SERVED;
      case Event.Cancelled cancelled -> CANCELLED;
      case Event.Refused refused -> new EventText(EventTone.BAD, why(refused.refusal()));
      case Event.Expired expired -> new EventText(EventTone.BAD, why(expired.refusal()));
      case Event.Settled settled -> usage(settled);
      case Event.Shadowed shadowed -> {
        Refusal refusal = shadowed.refusal();
        yield new EventText(
            EventTone.ODD,
            refusal == null ? List.of(waited(shadowed.waitedNanos())) : why(refusal));
      }
      case Event.Returned returned -> null;
      case Event.Called called -> null;
      case Event.FirstOutput first -> null;
      case Event.Estimated estimated -> null;
      case Event.ParametersIgnored ignored -> null;
      case Event.BudgetUsed budget ->
          new EventText(
              EventTone.FAIR,
              List.of(budget.owner(), "used " + budget.percent() + " % of " + budget.budget()));
      case Event.Operated operated ->
          new EventText(EventTone.ODD, List.of(operated.who(), operated.what()));
      case Event.Reloaded reloaded ->
          new EventText(
              EventTone.ODD,
              phrases(reloaded.applied() ? null : "kept the old one", reloaded.detail()));
      case Event.Synced synced ->
          new EventText(
              EventTone.ODD,
              phrases(
                  synced.sharing(),
                  synced.change().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                  synced.members() == 0 ? null : synced.members() + " members",
                  synced.detail()));
    };
  }

  /** Returns the description of events that a reader missed. */
  static EventText lost(long events) {
    return new EventText(
        EventTone.BAD,
        List.of(FigureText.count(events) + " events, they came faster than they were read"));
  }

  private static @Nullable EventText usage(Event.Settled settled) {
    if (settled.usedTokens() == settled.reservedTokens()) {
      return null;
    }
    String words =
        "used %s of %s reserved tokens"
            .formatted(
                FigureText.count(settled.usedTokens()), FigureText.count(settled.reservedTokens()));
    return new EventText(
        settled.overrunTokens() > 0 ? EventTone.ODD : EventTone.PLAIN, List.of(words));
  }

  private static String waited(long nanos) {
    return "waited " + FigureText.time(nanos / 1_000_000);
  }

  private static List<String> why(Refusal refusal) {
    return List.of(refusal.reason().code(), refusal.detail());
  }

  private static List<String> phrases(@Nullable String... all) {
    List<String> phrases = new ArrayList<>();
    for (String each : all) {
      if (each != null) {
        phrases.add(each);
      }
    }
    return phrases;
  }
}
