package io.penstock.operator;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.event.Event;
import io.penstock.event.Event.TicketEvent;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Converts events to a name, and to data as JSON on one line. */
final class EventJson {
  private final Ticker ticker;
  private final WallClock clock;

  EventJson(Ticker ticker, WallClock clock) {
    this.ticker = ticker;
    this.clock = clock;
  }

  /** Returns the event's name. */
  static String name(Event event) {
    return switch (event) {
      case Event.Queued queued -> "queued";
      case Event.Released released -> "released";
      case Event.Served served -> "served";
      case Event.Refused refused -> "refused";
      case Event.Expired expired -> "expired";
      case Event.Cancelled cancelled -> "cancelled";
      case Event.Settled settled -> "settled";
      case Event.Shadowed shadowed -> "shadowed";
      case Event.Returned returned -> "returned";
      case Event.Called called -> "called";
      case Event.FirstOutput first -> "first_output";
      case Event.Estimated estimated -> "estimated";
      case Event.ParametersIgnored ignored -> "parameters_ignored";
      case Event.BudgetUsed budget -> "budget";
      case Event.Operated operated -> "operated";
      case Event.Reloaded reloaded -> "config";
      case Event.Synced synced -> "sync";
    };
  }

  /** Returns the event's data, together with its text if one is given. */
  String data(Event event, @Nullable EventText text) {
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    // Instants of the monotonic clock mean nothing outside this process.
    long agoMillis = (ticker.nanos() - event.atNanos()) / 1_000_000;
    data.put("at", Instant.ofEpochMilli(clock.unixMillis() - agoMillis).toString());
    if (event instanceof TicketEvent of) {
      data.put("endpoint", of.endpoint());
      data.put("ticket", of.ticket());
    }
    switch (event) {
      case Event.Queued queued -> cost(data, queued.cost());
      case Event.Released released -> {
        where(data, released.upstream(), released.model());
        cost(data, released.cost());
        data.put("waited_ms", released.waitedNanos() / 1_000_000);
      }
      case Event.Refused refused -> why(data, refused.refusal());
      case Event.Expired expired -> why(data, expired.refusal());
      case Event.Settled settled -> {
        where(data, settled.upstream(), settled.model());
        data.put("reserved_tokens", settled.reservedTokens());
        data.put("used_tokens", settled.usedTokens());
        data.put("overrun_tokens", settled.overrunTokens());
      }
      case Event.Returned returned -> {
        where(data, returned.upstream(), returned.model());
        data.put("reserved_tokens", returned.reservedTokens());
      }
      case Event.Called called -> called(data, called);
      case Event.FirstOutput first -> {
        data.put("endpoint", first.endpoint());
        where(data, first.upstream(), first.model());
        data.put("took_ms", first.tookNanos() / 1_000_000);
      }
      case Event.Shadowed shadowed -> {
        data.put("waited_ms", shadowed.waitedNanos() / 1_000_000);
        if (shadowed.refusal() != null) {
          why(data, shadowed.refusal());
        }
      }
      case Event.Estimated estimated -> {
        data.put("endpoint", estimated.endpoint());
        data.put("model", estimated.model());
        data.put("expected_input_tokens", estimated.expectedTokens());
        data.put("used_input_tokens", estimated.usedTokens());
      }
      case Event.ParametersIgnored ignored -> {
        data.put("endpoint", ignored.endpoint());
        data.put("parameters", ignored.parameters());
      }
      case Event.BudgetUsed budget -> {
        data.put("owner", budget.owner());
        data.put("budget", budget.budget());
        data.put("percent", budget.percent());
        data.put("used_tokens", budget.usedTokens());
        data.put("tokens", budget.tokens());
      }
      case Event.Operated operated -> {
        data.put("who", operated.who());
        data.put("from", operated.from());
        data.put("what", operated.what());
      }
      case Event.Reloaded reloaded -> {
        data.put("applied", reloaded.applied());
        data.put("detail", reloaded.detail());
      }
      case Event.Synced synced -> {
        data.put("sharing", synced.sharing());
        data.put("change", synced.change().name().toLowerCase(Locale.ROOT));
        data.put("members", synced.members() == 0 ? null : synced.members());
        data.put("detail", synced.detail());
      }
      case Event.Served served -> {}
      case Event.Cancelled cancelled -> {}
    }
    text(data, text);
    return OperatorJson.text(data);
  }

  private static void text(Map<String, @Nullable Object> data, @Nullable EventText text) {
    if (text != null) {
      data.put("tone", text.tone().name().toLowerCase(Locale.ROOT));
      data.put("words", text.words());
    }
  }

  private static void called(Map<String, @Nullable Object> data, Event.Called called) {
    TokenUsage tokenUsage = called.usage();
    data.put("endpoint", called.endpoint());
    where(data, called.upstream(), called.model());
    data.put("lasted_ms", called.lastedNanos() / 1_000_000);
    data.put("used_input_tokens", tokenUsage == null ? null : tokenUsage.inputTokens());
    data.put("used_output_tokens", tokenUsage == null ? null : tokenUsage.outputTokens());
    data.put("error", called.error());
  }

  private static void where(
      Map<String, @Nullable Object> data, @Nullable String upstream, @Nullable String model) {
    data.put("upstream", upstream);
    data.put("model", model);
  }

  private static void cost(Map<String, @Nullable Object> data, Cost cost) {
    data.put("input_tokens", cost.inputTokens());
    data.put("output_tokens", cost.outputTokens());
  }

  private static void why(Map<String, @Nullable Object> data, Refusal refusal) {
    data.put("reason", refusal.reason().code());
    data.put("status", refusal.reason().status());
    data.put("detail", refusal.detail());
    OptionalLong retry = refusal.retryAfterMillis();
    if (retry.isPresent()) {
      data.put("retry_after_ms", retry.getAsLong());
    }
  }

  /**
   * Returns the data of the event that reports how many events a reader missed, as a line if that
   * is wanted.
   */
  static String lost(long events, boolean line) {
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    data.put("events", events);
    text(data, line ? EventText.lost(events) : null);
    return OperatorJson.text(data);
  }
}
