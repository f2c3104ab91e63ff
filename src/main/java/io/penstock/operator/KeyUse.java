package io.penstock.operator;

import io.penstock.endpoint.TicketOperations;
import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySpec;
import io.penstock.quota.LimitUse;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** View of what is left of the limits of a key and its group, and of what was refused. */
record KeyUse(KeyRegistry keys, TicketOperations tickets, Ticker ticker, WallClock clock) {
  /** Returns the members that describe the use of a key, by name. */
  Map<String, Object> of(KeySpec key) {
    ClockReading now = new ClockReading(ticker.nanos(), clock.unixMillis());
    List<Map<String, @Nullable Object>> limits = new ArrayList<>();
    keys.uses(key, now.nanos()).forEach(use -> limits.add(shown(use, now)));
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("limits", limits);
    members.put("refused_last_hour", tickets.refusedOfKey(key.name()));
    return members;
  }

  private static Map<String, @Nullable Object> shown(LimitUse use, ClockReading now) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("owner", use.owner());
    shown.put("reason", use.metered().reason() == null ? null : use.metered().reason().code());
    shown.put("allows", use.metered().words());
    shown.put("limit", use.size());
    shown.put("used", use.used());
    shown.put("left", use.left());
    shown.put(
        "resets_at", use.wholeAtNanos() == Ticker.NEVER ? null : now.text(use.wholeAtNanos()));
    shown.put("shared", use.metered().limit().sharing().isShared());
    return shown;
  }
}
