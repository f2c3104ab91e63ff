package io.penstock.operator;

import io.penstock.limit.Balance;
import io.penstock.limit.Learned;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.operator.UpstreamView.ErrorView;
import io.penstock.operator.UpstreamView.LearnedView;
import io.penstock.operator.UpstreamView.LimitView;
import io.penstock.operator.UpstreamView.PoolView;
import io.penstock.pool.Trouble;
import io.penstock.pool.Upstream;
import io.penstock.pool.Upstreams;
import io.penstock.quota.Metered;
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

  private final Upstreams upstreams;
  private final Ticker ticker;
  private final WallClock clock;

  UpstreamsHandler(Upstreams upstreams, Ticker ticker, WallClock clock) {
    this.upstreams = upstreams;
    this.ticker = ticker;
    this.clock = clock;
  }

  /** Answers with all upstreams by id. */
  Mono<ServerResponse> list(ServerRequest request) {
    return Json.answer(views());
  }

  List<UpstreamView> views() {
    Moment now = new Moment(ticker.nanos(), clock.unixMillis());
    return upstreams.all().stream()
        .sorted(Comparator.comparing((Upstream each) -> each.spec().id()))
        .map(each -> view(each, now))
        .toList();
  }

  private static UpstreamView view(Upstream upstream, Moment now) {
    boolean trial = upstream.health().onTrial();
    Trouble trouble = upstream.trouble();
    return new UpstreamView(
        upstream.spec().id(),
        place(upstream.spec().url()),
        !upstream.enabled() ? "disabled" : trial ? "unhealthy" : "healthy",
        trial ? now.text(upstream.health().opens(now.nanos())) : null,
        trouble == null ? null : new ErrorView(trouble.what(), now.text(trouble.atNanos())),
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

  private static PoolView view(Upstream upstream, String name, Quota pool, Moment now) {
    return new PoolView(
        name,
        now.ifToCome(upstream.pause(pool).ends(now.nanos())),
        rounded(pool.utilization(now.nanos())),
        rounded(pool.utilizationEverywhere(now.nanos())),
        upstream.pause(pool).throttled(),
        pool.limits().stream().map(each -> view(each, now)).toList());
  }

  private static LimitView view(Metered metered, Moment now) {
    Limit limit = metered.limit();
    long effective = limit.capacity(now.nanos());
    Balance balance = limit.balance(now.nanos());
    Learned learned = limit.learned(now.nanos());
    return new LimitView(
        metered.measure().name().toLowerCase(Locale.ROOT),
        windowMillis(limit.spec()),
        limit.capacity(),
        effective,
        now.ifToCome(limit.restores(now.nanos())),
        balance.charged(),
        balance.charged() + metered.others().counted(now.nanos()),
        balance.held(),
        Math.min(effective, limit.left(now.nanos()).amount()),
        limit.spec() instanceof LimitSpec.TrailingWindow window
            ? now.text(now.nanos() - window.windowNanos())
            : null,
        learned == null ? null : view(learned, now));
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

  private static LearnedView view(Learned learned, Moment now) {
    return new LearnedView(
        learned.limit(),
        learned.remaining() < 0 ? null : learned.remaining(),
        now.text(learned.resetNanos()),
        rounded(learned.drift()));
  }

  private static double rounded(double value) {
    return Math.round(value * DIGITS) / DIGITS;
  }
}
