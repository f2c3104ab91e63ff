package io.penstock.operator;

import io.penstock.limit.LearnedCeiling;
import io.penstock.limit.LearnedLimit;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import io.penstock.operator.UpstreamView.CeilingView;
import io.penstock.operator.UpstreamView.ErrorView;
import io.penstock.operator.UpstreamView.LearnedView;
import io.penstock.operator.UpstreamView.LimitView;
import io.penstock.operator.UpstreamView.PoolView;
import io.penstock.pool.Upstream;
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
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** Shows the upstreams, the state of their limits, and what their providers stated about those. */
final class UpstreamsHandler {
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

  List<UpstreamView> views() {
    ClockReading now = new ClockReading(ticker.nanos(), clock.unixMillis());
    return upstreamRegistry.all().stream()
        .sorted(Comparator.comparing((Upstream each) -> each.spec().id()))
        .map(each -> view(each, now))
        .toList();
  }

  private static UpstreamView view(Upstream upstream, ClockReading now) {
    boolean trial = upstream.health().onTrial();
    UpstreamTrouble upstreamTrouble = upstream.trouble();
    return new UpstreamView(
        upstream.spec().id(),
        place(upstream.spec().url()),
        !upstream.enabled() ? "disabled" : trial ? "unhealthy" : "healthy",
        upstream.spec().access().disabledBecause(),
        trial ? now.text(upstream.triedAt(now.nanos())) : null,
        upstreamTrouble == null
            ? null
            : new ErrorView(upstreamTrouble.what(), now.text(upstreamTrouble.atNanos())),
        upstream.spec().weight(),
        rounded(upstream.jitterNanos() / NANOS_PER_MILLI),
        upstream.spec().models().keySet().stream().sorted().toList(),
        upstream.pools().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(pool -> view(upstream, pool.getKey(), pool.getValue(), now))
            .toList());
  }

  /** Returns scheme, host and port only, because the path, query or user of a URL may be secret. */
  private static String place(URI url) {
    String host = url.getHost() == null ? "" : url.getHost();
    return url.getScheme() + "://" + host + (url.getPort() < 0 ? "" : ":" + url.getPort());
  }

  private static PoolView view(Upstream upstream, String name, Quota pool, ClockReading now) {
    return new PoolView(
        name,
        now.ifToCome(upstream.pause(pool).ends(now.nanos())),
        rounded(pool.utilization(now.nanos())),
        rounded(pool.globalUtilization(now.nanos())),
        upstream.pause(pool).throttled(),
        pool.limits().stream().map(each -> view(each, now)).toList());
  }

  private static LimitView view(MeteredLimit metered, ClockReading now) {
    Limit limit = metered.limit();
    long effective = limit.capacity(now.nanos());
    LimitBalance limitBalance = limit.balance(now.nanos());
    LearnedLimit learnedLimit = limit.feedback().learned(now.nanos());
    return new LimitView(
        metered.measure().name().toLowerCase(Locale.ROOT),
        windowMillis(limit.spec()),
        limit.capacity(),
        effective,
        now.ifToCome(limit.feedback().restoredAt(now.nanos())),
        limitBalance.charged(),
        limitBalance.charged() + metered.peerUsage().counted(now.nanos()),
        limitBalance.reserved(),
        Math.min(effective, limit.remainder(now.nanos()).amount()),
        limit.spec() instanceof LimitSpec.TrailingWindow window
            ? now.text(now.nanos() - window.windowNanos())
            : null,
        learnedLimit == null ? null : view(learnedLimit, now),
        view(limit.feedback().ceiling(now.nanos()), now));
  }

  private static @Nullable CeilingView view(@Nullable LearnedCeiling ceiling, ClockReading now) {
    return ceiling == null
        ? null
        : new CeilingView(ceiling.amount(), ceiling.probes(), now.text(ceiling.untilNanos()));
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

  private static LearnedView view(LearnedLimit learnedLimit, ClockReading now) {
    return new LearnedView(
        learnedLimit.limit(),
        learnedLimit.remaining() < 0 ? null : learnedLimit.remaining(),
        now.text(learnedLimit.resetNanos()),
        rounded(learnedLimit.drift()));
  }

  private static double rounded(double value) {
    return Math.round(value * DIGITS) / DIGITS;
  }
}
