package io.penstock.gateway.forward;

import io.penstock.gateway.request.PrintableText;
import io.penstock.gateway.request.UpstreamFailure;
import io.penstock.limit.LearnedCeiling;
import io.penstock.limit.Limit;
import io.penstock.pool.Addition;
import io.penstock.pool.AttemptHistory;
import io.penstock.pool.PoolPause;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamHold;
import io.penstock.pool.UpstreamTrouble;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.ProviderStatus;
import io.penstock.quota.Quota;
import io.penstock.tenant.SharedState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs changes in the state of upstreams, one line for each change that an attempt reveals. There
 * is no timer, so the end of a pause is logged at the next answer. Safe from any thread.
 */
public final class UpstreamLog implements VerdictSource.AttemptListener {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.upstream");
  private static final long MILLI = 1_000_000L;

  /**
   * Most models with a logged refusal, or that are lost; it is bounded because clients can invent
   * models.
   */
  private static final int MOST_MODELS = 1_000;

  /**
   * A line of the log.
   *
   * @param bad whether it is logged as a warning
   */
  record Line(boolean bad, String text) {
    static Line bad(String text) {
      return new Line(true, text);
    }

    static Line good(String text) {
      return new Line(false, text);
    }

    private Line of(String upstreamId) {
      return new Line(bad, upstreamId + ": " + text);
    }

    private void log() {
      LOG.atLevel(bad ? Level.WARN : Level.INFO).log(text);
    }
  }

  @SharedState("lines of the log")
  private final Set<String> unwell = ConcurrentHashMap.newKeySet();

  @SharedState("lines of the log")
  private final Set<Quota> paused = ConcurrentHashMap.newKeySet();

  /** The pauses of less than a pool that were logged, with their ends. */
  @SharedState("lines of the log")
  private final ConcurrentMap<Quota, Long> held = new ConcurrentHashMap<>();

  @SharedState("lines of the log")
  private final ConcurrentMap<Limit, Long> lowered = new ConcurrentHashMap<>();

  @SharedState("refused additions")
  private final Set<Place> leftOut = ConcurrentHashMap.newKeySet();

  @SharedState("lines of the log")
  private final Set<Model> lost = ConcurrentHashMap.newKeySet();

  /** A model of an upstream, under the upstream's own name for it. */
  private record Model(String upstream, String name) {}

  /** An addition to requests for a model of an upstream, under the upstream's own name for it. */
  private record Place(String upstream, String model, Addition addition) {}

  @Override
  public void decided(
      Upstream upstream, AttemptHistory attemptHistory, @Nullable ProviderLesson lesson, long now) {
    lines(upstream, attemptHistory, lesson, now).forEach(Line::log);
  }

  /** Returns the lines to log, mostly none. */
  List<Line> lines(
      Upstream upstream, AttemptHistory attemptHistory, @Nullable ProviderLesson lesson, long now) {
    List<Line> lines = new ArrayList<>(0);
    String model = attemptHistory.model();
    addLines(upstream, model, lesson, now, lines);
    if (lesson != null && lesson.status() >= UpstreamFailure.LOWEST_ERROR_STATUS) {
      for (UpstreamHold each : upstream.holds(attemptHistory.tenant(), model, now)) {
        Line hold = hold(each, now);
        if (hold != null) {
          lines.add(hold.of("upstream " + upstream.spec().id()));
        }
      }
    }
    return lines;
  }

  private void addLines(
      Upstream upstream,
      @Nullable String model,
      @Nullable ProviderLesson lesson,
      long now,
      List<Line> lines) {
    Quota pool = upstream.pool(model, now);
    Line health = health(upstream, now);
    Line pause = pause(upstream, pool, now);
    Line known = known(upstream, model);
    boolean limits = !lowered.isEmpty() || (lesson != null && changesLimits(lesson));
    if (health == null && pause == null && known == null && !limits) {
      additions(upstream, model, now, lines);
      return;
    }
    String named = "upstream " + upstream.spec().id();
    if (health != null) {
      lines.add(health.of(named));
    }
    additions(upstream, model, now, lines);
    if (known != null) {
      lines.add(known.of(named + ", " + PrintableText.of(ownName(upstream, model))));
    }
    String ofPool = named + ", " + pool(upstream, model);
    if (pause != null) {
      lines.add(pause.of(ofPool));
    }
    for (MeteredLimit metered : limits ? pool.limits() : List.<MeteredLimit>of()) {
      Line limit = limit(metered, now);
      if (limit != null) {
        lines.add(limit.of(ofPool));
      }
    }
  }

  private static boolean changesLimits(ProviderLesson lesson) {
    return lesson.refusesByUnnamedLimit()
        || lesson.statuses().stream().anyMatch(UpstreamLog::states);
  }

  private static boolean states(ProviderStatus providerStatus) {
    return providerStatus.limit() != ProviderStatus.UNSTATED;
  }

  private @Nullable Line health(Upstream upstream, long now) {
    String id = upstream.spec().id();
    if (!upstream.health().onTrial()) {
      return unwell.remove(id) ? Line.good("healthy again") : null;
    }
    if (!unwell.add(id)) {
      return null;
    }
    UpstreamTrouble upstreamTrouble = upstream.trouble();
    String why = upstreamTrouble == null ? "" : " (" + upstreamTrouble.what() + ")";
    long tried = upstream.triedAt(now);
    return Line.bad("unhealthy" + why + ", tried again in " + millis(tried - now));
  }

  private @Nullable Line pause(Upstream upstream, Quota pool, long now) {
    PoolPause ofPool = upstream.pause(pool);
    PoolPause ofAll = upstream.accountPause();
    long ends = Math.max(ofPool.ends(now), ofAll.ends(now));
    if (ends <= now) {
      return paused.remove(pool) ? Line.good("not paused any more") : null;
    }
    long tried = Math.max(ofPool.triedAt(now), ofAll.triedAt(now));
    return paused.add(pool) ? Line.bad(paused(ends, tried, now)) : null;
  }

  private static String paused(long ends, long tried, long now) {
    return "paused for "
        + millis(ends - now)
        + (tried < ends ? ", tried by one request in " + millis(tried - now) : "");
  }

  private @Nullable Line hold(UpstreamHold hold, long now) {
    if (held.size() >= MOST_MODELS) {
      held.values().removeIf(until -> until <= now);
    }
    long ends = hold.ends(now);
    Long before = held.get(hold.quota());
    if ((before != null && before > now) || held.size() >= MOST_MODELS) {
      return null;
    }
    held.put(hold.quota(), ends);
    String whose = hold.ofTenant() ? ": the requests of one tenant are " : ": ";
    return Line.bad(
        PrintableText.of(hold.model()) + whose + paused(ends, hold.quota().gatesOpenAt(now), now));
  }

  /** Adds lines about additions that begin, or end, to be left out. */
  private void additions(Upstream upstream, @Nullable String model, long now, List<Line> lines) {
    Set<Addition> withheld = upstream.withheld(model, now);
    if (withheld.isEmpty() && leftOut.isEmpty()) {
      return;
    }
    String named = ownName(upstream, model);
    String of = "upstream " + upstream.spec().id() + ", " + PrintableText.of(named);
    for (Addition each : Addition.values()) {
      Place place = new Place(upstream.spec().id(), named, each);
      if (!withheld.contains(each)) {
        if (leftOut.remove(place)) {
          lines.add(Line.good(again(each)).of(of));
        }
      } else if (leftOut.size() < MOST_MODELS && leftOut.add(place)) {
        String time = millis(upstream.withheldUntil(model, each, now) - now);
        lines.add(
            Line.bad("it refuses " + each.text() + ", which the gateway adds: " + less(each, time))
                .of(of));
      }
    }
  }

  private static String less(Addition addition, String time) {
    if (addition == Addition.STREAM_USAGE) {
      return "streams are not asked for their usage for "
          + time
          + ", and their output is counted as it passes";
    }
    return addition.maximum()
        ? "for "
            + time
            + " the max_output_tokens of keys is written under another name, or where there is"
            + " none, not at all"
        : "requests go without it for " + time;
  }

  private static String again(Addition addition) {
    return addition == Addition.STREAM_USAGE
        ? "streams are asked for their usage again"
        : addition.text() + " is added again";
  }

  /** Returns the line about a model that the upstream has served and does not know any more. */
  private @Nullable Line known(Upstream upstream, @Nullable String model) {
    boolean missing = upstream.lost(model);
    if (!missing && lost.isEmpty()) {
      return null;
    }
    Model of = new Model(upstream.spec().id(), ownName(upstream, model));
    if (!missing) {
      return lost.remove(of) ? Line.good("it is served again") : null;
    }
    return lost.size() < MOST_MODELS && lost.add(of)
        ? Line.bad("it was served before, and the provider does not know it any more")
        : null;
  }

  private static String ownName(Upstream upstream, @Nullable String model) {
    return model == null ? "any model" : upstream.spec().ownName(model);
  }

  private @Nullable Line limit(MeteredLimit metered, long now) {
    Limit limit = metered.limit();
    long capacity = limit.capacity(now);
    boolean lower = limit.feedback().restoredAt(now) > now;
    Long before = lower ? lowered.put(limit, capacity) : lowered.remove(limit);
    String what = metered.measure().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    if (!lower) {
      return before == null
          ? null
          : Line.good("the limit of " + what + " is as configured again, " + capacity);
    }
    if (before != null && before == capacity) {
      return null;
    }
    LearnedCeiling ceiling = limit.feedback().ceiling(now);
    if (ceiling == null) {
      return Line.bad(
          "its provider states a limit of "
              + capacity
              + " "
              + what
              + ", lower than the "
              + limit.capacity()
              + " configured: that holds");
    }
    String period = " for " + millis(ceiling.untilNanos() - now);
    return ceiling.probes()
        ? Line.good("the learned limit of " + what + " is raised to " + capacity + period)
        : Line.bad(
            "its provider refused a request and states no limit: at most "
                + capacity
                + " "
                + what
                + " instead of the "
                + limit.capacity()
                + " configured"
                + period);
  }

  private static String pool(Upstream upstream, @Nullable String model) {
    return model == null
        ? "any model"
        : PrintableText.of(upstream.spec().budget().poolOf(upstream.spec().ownName(model)));
  }

  private static String millis(long nanos) {
    return Math.ceilDiv(nanos, MILLI) + " ms";
  }
}
