package io.penstock.gateway.request;

import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what is wrong with upstreams: at most one line a minute for each, however many requests meet
 * the problem. Safe from any thread.
 */
public final class UpstreamComplaints {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.upstream.answers");
  private static final long QUIET_NANOS = 60_000_000_000L;

  private record LoggedComplaint(long atNanos, long more) {}

  private final Ticker ticker;

  @SharedState("lines of the log")
  private final ConcurrentMap<String, LoggedComplaint> lastLogged = new ConcurrentHashMap<>();

  public UpstreamComplaints(Ticker ticker) {
    this.ticker = ticker;
  }

  /**
   * Logs a problem of an upstream, or only counts it if a line was logged within the last minute.
   */
  public void about(String upstream, String what) {
    String line = line(upstream, what, ticker.nanos());
    if (line != null) {
      LOG.warn(line);
    }
  }

  /** Returns the line to log, or null for none. */
  @Nullable String line(String upstream, String what, long now) {
    // one entry for each configured id
    LoggedComplaint before = lastLogged.get(upstream);
    if (before != null && now - before.atNanos() < QUIET_NANOS) {
      lastLogged.computeIfPresent(
          upstream, (id, last) -> new LoggedComplaint(last.atNanos(), last.more() + 1));
      return null;
    }
    lastLogged.put(upstream, new LoggedComplaint(now, 0));
    String line = "upstream " + upstream + ": " + what;
    return before == null || before.more() == 0
        ? line
        : line + " (and " + before.more() + " more since the last such line)";
  }
}
