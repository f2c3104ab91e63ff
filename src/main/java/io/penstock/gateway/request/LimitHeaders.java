package io.penstock.gateway.request;

import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.key.ApiCaller;
import io.penstock.pool.Upstream;
import io.penstock.provider.LimitHeader;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Creates the headers that tell clients what is left of limits: {@code RateLimit} and {@code
 * RateLimit-Policy} (draft-ietf-httpapi-ratelimit-headers-10), and, for the limits of the key, the
 * headers of the provider.
 */
public final class LimitHeaders {
  private static final String KEY = "key";
  private static final String ENDPOINT = "endpoint";
  private static final String UPSTREAM = "upstream";
  private static final long MILLI = 1_000_000L;
  private static final long MINUTE_SECONDS = 60;

  private static final Comparator<LimitHeaderLine> TIGHTER =
      Comparator.comparing((LimitHeaderLine line) -> line.windowSeconds() > MINUTE_SECONDS)
          .thenComparingLong(LimitHeaderLine::remaining);

  private final Ticker ticker;
  private final WallClock clock;

  public LimitHeaders(Ticker ticker, WallClock clock) {
    this.ticker = ticker;
    this.clock = clock;
  }

  /**
   * Returns the headers that tell what is left now, by name; empty where nothing is limited.
   *
   * @param settlement of a request that goes now, or null when it is refused
   */
  public Map<String, String> of(
      RequestContext requestContext, @Nullable TicketSettlement settlement) {
    ApiCaller apiCaller = requestContext.caller();
    List<MeteredLimit> own = requestContext.endpoint().limits();
    Upstream upstream = exposed(requestContext, settlement);
    if (apiCaller == null && own.isEmpty() && upstream == null) {
      return Map.of();
    }
    long now = ticker.nanos();
    List<LimitHeaderLine> ofKey =
        apiCaller == null ? List.of() : ofKey(apiCaller, requestContext.model(), now);
    List<LimitHeaderLine> lines = new ArrayList<>(ofKey);
    own.forEach(metered -> add(lines, LimitHeaderLine.of(ENDPOINT, metered, now)));
    if (upstream != null && settlement != null) {
      Quota pool = upstream.pool(settlement.model(), now);
      lines.addAll(named(UPSTREAM, pool.limits(), now));
    }
    return lines.isEmpty() ? Map.of() : headers(lines, ofKey, requestContext);
  }

  private static @Nullable Upstream exposed(
      RequestContext requestContext, @Nullable TicketSettlement settlement) {
    boolean exposes = requestContext.endpoint().spec().forwarding().headers().limits();
    return exposes && settlement != null ? settlement.upstream() : null;
  }

  /**
   * Returns the limits that requests for a model face because of the key itself, without those of
   * its group.
   */
  public static List<LimitHeaderLine> ofKey(ApiCaller apiCaller, @Nullable String model, long now) {
    List<MeteredLimit> limits = new ArrayList<>();
    for (Quota quota : apiCaller.account().quotas(model, now)) {
      for (MeteredLimit metered : quota.limits()) {
        if (ofTheKey(metered)) {
          limits.add(metered);
        }
      }
    }
    return named(KEY, limits, now);
  }

  private static boolean ofTheKey(MeteredLimit metered) {
    return metered.reason() == null || metered.reason().code().startsWith(KEY + "_");
  }

  /**
   * Names the limits. A name that is already taken belongs to the key in general, so the next limit
   * of that name is the one of the model.
   */
  private static List<LimitHeaderLine> named(String owner, List<MeteredLimit> limits, long now) {
    Set<String> names = new HashSet<>();
    List<LimitHeaderLine> lines = new ArrayList<>();
    for (MeteredLimit metered : limits) {
      String name = LimitHeaderLine.name(owner, metered);
      String free = names.add(name) ? name : name + "-model";
      add(lines, LimitHeaderLine.of(free, metered, now));
    }
    return lines;
  }

  private static void add(List<LimitHeaderLine> lines, @Nullable LimitHeaderLine line) {
    if (line != null) {
      lines.add(line);
    }
  }

  private Map<String, String> headers(
      List<LimitHeaderLine> lines, List<LimitHeaderLine> ofKey, RequestContext requestContext) {
    Map<String, String> headers = new LinkedHashMap<>();
    StringJoiner policies = new StringJoiner(", ");
    StringJoiner left = new StringJoiner(", ");
    for (LimitHeaderLine line : lines) {
      policies.add(line.policy());
      left.add(line.left());
    }
    headers.put("RateLimit-Policy", policies.toString());
    headers.put("RateLimit", left.toString());
    for (LimitHeader names : requestContext.upstreamProtocol().limitHeaders()) {
      LimitHeaderLine line = tightest(ofKey, names.measure());
      if (line != null) {
        state(headers, names, line);
      }
    }
    return headers;
  }

  /**
   * Returns the limit to show in the provider's headers, which have room for only one: that of the
   * minute, where there is one.
   */
  private static @Nullable LimitHeaderLine tightest(
      List<LimitHeaderLine> lines, LimitMeasure limitMeasure) {
    LimitHeaderLine tightest = null;
    for (LimitHeaderLine line : lines) {
      boolean first = line.measure() == limitMeasure && tightest == null;
      if (first || (line.measure() == limitMeasure && TIGHTER.compare(line, tightest) < 0)) {
        tightest = line;
      }
    }
    return tightest;
  }

  private void state(Map<String, String> headers, LimitHeader names, LimitHeaderLine line) {
    long resetMillis =
        line.resetNanos() == Ticker.NEVER ? 0 : Math.ceilDiv(line.resetNanos(), MILLI);
    headers.put(names.limit(), Long.toString(line.quota()));
    headers.put(names.remaining(), Long.toString(line.remaining()));
    if (names.reset() != null) {
      headers.put(names.reset(), names.form().text(resetMillis, clock.unixMillis()));
    }
  }
}
