package io.penstock.operator;

import io.penstock.config.LimitText;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.explain.BindingLimit;
import io.penstock.explain.WaitingTicket;
import io.penstock.sharing.SharingView;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Collects the current state of all endpoints. For one thread at a time. */
final class LiveRows {
  private static final long SECOND = 1_000_000_000L;

  /** Bounds of the age classes. */
  private static final List<Long> AGES = List.of(SECOND, 5 * SECOND, 15 * SECOND, 60 * SECOND);

  /** Largest number of queue owners asked for their next ticket in each snapshot. */
  private static final int MOST_ASKED = 100;

  private final EndpointRegistry registry;
  private final EndpointsHandler views;
  private final RecentWaits recentWaits;
  private final SharingView sharing;
  private final Ticker ticker;

  /** Answers of the owners of queues since the last snapshot. */
  private final Map<String, WaitingTicket> answers = new ConcurrentHashMap<>();

  private final Map<String, String> held = new HashMap<>();

  /** Descriptions of limits, which change with the configuration only. */
  private final IdentityHashMap<EndpointSpec, String> limits = new IdentityHashMap<>();

  LiveRows(
      EndpointRegistry registry,
      EndpointsHandler views,
      RecentWaits recentWaits,
      SharingView sharing,
      Ticker ticker) {
    this.sharing = sharing;
    this.registry = registry;
    this.views = views;
    this.recentWaits = recentWaits;
    this.ticker = ticker;
  }

  /**
   * Returns the rows of all endpoints: their state, the waiting times of recently released tickets,
   * how many tickets wait in each class of age, what the next ticket waits for in a few words, and
   * the limit. The owners of queues say what the next tickets wait for, in time for the next call.
   */
  List<ObjectNode> rows() {
    Map<String, List<Integer>> ages = registry.tickets().ages(AGES, ticker.nanos());
    List<ObjectNode> rows = new ArrayList<>();
    Set<String> paths = new HashSet<>();
    int asked = 0;
    for (Endpoint endpoint : registry.all()) {
      String path = endpoint.path();
      paths.add(path);
      List<Integer> counts = ages.getOrDefault(path, List.of());
      if (!counts.isEmpty() && asked < MOST_ASKED) {
        asked++;
        registry.tickets().next(endpoint, look -> look.ifPresent(is -> answers.put(path, is)));
      }
      ObjectNode row = views.state(endpoint);
      row.put("oldest_wait_ms", rounded(row.path("oldest_wait_ms").asLong()));
      row.set("waits", recentWaits.of(path));
      row.set("ages", OperatorJson.tree(counts));
      rows.add(row.put("held_by", held(path, counts)).put("limit", limit(endpoint.spec())));
    }
    if (limits.size() > 2 * rows.size()) {
      limits.clear(); // most are those of former configurations
    }
    recentWaits.keep(paths);
    held.keySet().retainAll(ages.keySet());
    answers.keySet().retainAll(ages.keySet());
    return rows;
  }

  /** Rounds to whole seconds, so that a stalled queue does not change its row at each snapshot. */
  static long rounded(long waitMillis) {
    return waitMillis < 1_000 ? waitMillis : waitMillis / 1_000 * 1_000;
  }

  private String limit(EndpointSpec spec) {
    return limits.computeIfAbsent(
        spec, described -> LimitText.of(OperatorJson.tree(described.entry().shown())));
  }

  private @Nullable String held(String path, List<Integer> counts) {
    WaitingTicket waitingTicket = answers.remove(path);
    if (waitingTicket != null) {
      held.put(path, words(path, waitingTicket.explanation().binding()));
    }
    return counts.isEmpty() ? null : held.get(path);
  }

  private String words(String path, @Nullable BindingLimit binding) {
    if (binding == null) {
      return "";
    }
    if (CauseWords.needsStore(binding.cause()) && sharing.outage().get() != null) {
      return "Redis is away";
    }
    BindingLimit.Cause cause = binding.cause();
    String measure = binding.measure() == null ? "" : lower(binding.measure());
    String what =
        switch (cause) {
          case LIMIT -> measure;
          case PACE -> "pace of " + measure;
          default -> lower(cause);
        };
    if (binding.kind() == null || Objects.equals(binding.name(), path)) {
      return cause == BindingLimit.Cause.LIMIT ? "its limit: " + what : what;
    }
    return lower(binding.kind()) + " " + binding.name() + ": " + what;
  }

  private static String lower(Enum<?> word) {
    return word.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
