package io.penstock.operator;

import io.penstock.limit.LearnedCeiling;
import io.penstock.limit.LearnedLimit;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.PoolPause;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamHold;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.pool.UpstreamTrouble;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.net.URI;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Shows the upstreams, the state of their limits, and what their providers stated about those.
 * Instants are RFC 3339; unknown or inapplicable values are null.
 */
final class UpstreamsHandler {
  /** Most pauses of less than a pool that are shown of an upstream. */
  private static final int MOST_HOLDS = 100;

  private static final double DIGITS = 1e4;
  private static final double NANOS_PER_MILLI = 1e6;

  private final UpstreamRegistry upstreamRegistry;
  private final Ticker ticker;
  private final WallClock clock;

  UpstreamsHandler(UpstreamRegistry upstreamRegistry, Ticker ticker, WallClock clock) {
    this.upstreamRegistry = upstreamRegistry;
    this.ticker = ticker;
    this.clock = clock;
  }

  /** Answers with all upstreams by id. */
  Mono<ServerResponse> list(ServerRequest request) {
    return OperatorJson.answer(views());
  }

  /** Ends the pauses and the ill health of the upstream {@code ?id=}, and answers with it. */
  Mono<ServerResponse> retry(ServerRequest request) {
    return change(request, Upstream::retry);
  }

  /** Keeps requests from the upstream {@code ?id=}: they go elsewhere, or wait. */
  Mono<ServerResponse> pause(ServerRequest request) {
    return change(request, upstream -> upstream.pause(true));
  }

  /** Lets requests go to it again. */
  Mono<ServerResponse> resume(ServerRequest request) {
    return change(request, upstream -> upstream.pause(false));
  }

  private Mono<ServerResponse> change(ServerRequest request, Consumer<Upstream> action) {
    Optional<String> id = request.queryParam("id");
    if (id.isEmpty()) {
      return ProblemAnswer.answering(HttpStatus.BAD_REQUEST, "?id= is expected");
    }
    Upstream upstream = upstreamRegistry.find(id.get());
    if (upstream == null) {
      return ProblemAnswer.answering(HttpStatus.NOT_FOUND, "no upstream has this id");
    }
    action.accept(upstream);
    return OperatorJson.answer(
        view(upstream, new ClockReading(ticker.nanos(), clock.unixMillis())));
  }

  List<ObjectNode> views() {
    ClockReading now = new ClockReading(ticker.nanos(), clock.unixMillis());
    return upstreamRegistry.all().stream()
        .sorted(Comparator.comparing((Upstream each) -> each.spec().id()))
        .map(each -> view(each, now))
        .toList();
  }

  private static ObjectNode view(Upstream upstream, ClockReading now) {
    boolean trial = upstream.health().onTrial();
    UpstreamTrouble upstreamTrouble = upstream.trouble();
    ObjectNode view =
        OperatorJson.object()
            .put("id", upstream.spec().id())
            .put("url", place(upstream.spec().url()))
            .put("health", !upstream.enabled() ? "disabled" : trial ? "unhealthy" : "healthy")
            .put("paused", upstream.paused())
            .put("disabled_because", upstream.spec().access().disabledBecause())
            .put("tried_at", trial ? now.text(upstream.triedAt(now.nanos())) : null);
    if (upstreamTrouble == null) {
      view.putNull("last_error");
    } else {
      view.putObject("last_error")
          .put("what", upstreamTrouble.what())
          .put("at", now.text(upstreamTrouble.atNanos()));
    }
    view.put("weight", upstream.spec().weight())
        .put("jitter_ms", rounded(upstream.jitterNanos() / NANOS_PER_MILLI));
    view.put("paused_until", now.ifToCome(upstream.accountPause().ends(now.nanos())));
    ArrayNode holds = view.putArray("holds");
    upstream.holds().stream()
        .filter(each -> each.ends(now.nanos()) > now.nanos())
        .sorted(Comparator.comparing(UpstreamHold::model).thenComparing(UpstreamHold::ofTenant))
        .limit(MOST_HOLDS)
        .forEach(
            each ->
                holds
                    .addObject()
                    .put("model", each.model())
                    .put("one_tenant", each.ofTenant())
                    .put("paused_until", now.text(each.ends(now.nanos()))));
    ArrayNode models = view.putArray("models");
    upstream.spec().models().keySet().stream().sorted().forEach(models::add);
    ArrayNode pools = view.putArray("pools");
    upstream.pools().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(pool -> pools.add(view(upstream, pool.getKey(), pool.getValue(), now)));
    return view;
  }

  /** Returns scheme, host and port only, because the path, query or user of a URL may be secret. */
  private static String place(URI url) {
    String host = url.getHost() == null ? "" : url.getHost();
    return url.getScheme() + "://" + host + (url.getPort() < 0 ? "" : ":" + url.getPort());
  }

  private static ObjectNode view(Upstream upstream, String name, Quota pool, ClockReading now) {
    ObjectNode view =
        OperatorJson.object()
            .put("name", name)
            .put("paused_until", now.ifToCome(upstream.pause(pool).ends(now.nanos())))
            .put("tried_at", tried(upstream.pause(pool), now))
            .put("utilization", rounded(pool.utilization(now.nanos())))
            .put("utilization_global", rounded(pool.globalUtilization(now.nanos())))
            .put("throttled", upstream.pause(pool).throttled());
    ArrayNode limits = view.putArray("limits");
    pool.limits().forEach(each -> limits.add(view(each, now)));
    return view;
  }

  /** Returns when a request tries whether a pause is over, if that is before its end. */
  private static @Nullable String tried(PoolPause pause, ClockReading now) {
    long tried = pause.triedAt(now.nanos());
    return tried < pause.ends(now.nanos()) ? now.text(tried) : null;
  }

  private static ObjectNode view(MeteredLimit metered, ClockReading now) {
    Limit limit = metered.limit();
    long effective = limit.capacity(now.nanos());
    LimitBalance limitBalance = limit.balance(now.nanos());
    ObjectNode view =
        OperatorJson.object()
            .put("measure", metered.measure().name().toLowerCase(Locale.ROOT))
            .put("window_ms", windowMillis(limit.spec()))
            .put("configured", limit.capacity())
            .put("effective", effective)
            .put("lowered_until", now.ifToCome(limit.feedback().restoredAt(now.nanos())))
            .put("used", limitBalance.charged())
            .put(
                "used_global",
                limitBalance.charged() + metered.peerUsage().applyAsLong(now.nanos()))
            .put("held", limitBalance.reserved())
            .put("remaining", Math.min(effective, limit.remainder(now.nanos()).amount()))
            .put(
                "window_start",
                limit.spec() instanceof LimitSpec.TrailingWindow window
                    ? now.text(now.nanos() - window.windowNanos())
                    : null);
    view.set("learned", view(limit.feedback().learned(now.nanos()), now));
    LearnedCeiling ceiling = limit.feedback().ceiling(now.nanos());
    if (ceiling != null) {
      view.putObject("ceiling")
          .put("amount", ceiling.amount())
          .put("probing", ceiling.probes())
          .put("until", now.text(ceiling.untilNanos()));
    }
    return view;
  }

  /** Returns the length of a limit's window in milliseconds; null if it has none. */
  static @Nullable Long windowMillis(LimitSpec spec) {
    return switch (spec) {
      case LimitSpec.TrailingWindow window -> window.windowNanos() / 1_000_000;
      case LimitSpec.Day day -> LimitSpec.Day.NANOS / 1_000_000;
      case LimitSpec.Unlimited unlimited -> null;
      case LimitSpec.Concurrency concurrency -> null;
      case LimitSpec.Strict strict -> null;
      case LimitSpec.TokenBucket bucket -> null;
      case LimitSpec.SlidingWindow window -> window.windowNanos() / 1_000_000;
      case LimitSpec.FixedWindow window -> window.windowNanos() / 1_000_000;
    };
  }

  private static @Nullable ObjectNode view(@Nullable LearnedLimit learned, ClockReading now) {
    return learned == null
        ? null
        : OperatorJson.object()
            .put("limit", learned.limit())
            .put("remaining", learned.remaining() < 0 ? null : learned.remaining())
            .put("reset_at", now.text(learned.resetNanos()))
            .put("drift", rounded(learned.drift()));
  }

  private static double rounded(double value) {
    return Math.round(value * DIGITS) / DIGITS;
  }
}
