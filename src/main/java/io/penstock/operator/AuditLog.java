package io.penstock.operator;

import io.penstock.event.Event;
import io.penstock.event.EventSink;
import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;

/**
 * Records the actions of operators: requests to the operator port that changed something. Bodies
 * are not recorded, because they may hold secrets. Safe from any thread.
 */
final class AuditLog implements OperatorGuard.Actions {
  /**
   * An action.
   *
   * @param at its time, RFC 3339
   * @param who the name of the operator's token, {@code operator} if it has none, or {@code
   *     loopback} where no token is needed
   * @param from the network address of the request, or an empty text
   * @param what method, path and query of the request
   */
  record Action(String at, String who, String from, String what) {}

  /** Most actions that are kept. */
  static final int MOST = 10_000;

  private static final int LONGEST = 300;
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.operator");

  /** Paths of questions of programs, which are many and change no setting. */
  private static final Pattern QUESTIONS =
      Pattern.compile("/tokens/.*|/reservations.*|/quotas/(decide|wait|usage|reservations)");

  private final EventSink events;
  private final Ticker ticker;
  private final WallClock clock;

  @SharedState("actions of operators")
  private final ArrayDeque<Action> actions = new ArrayDeque<>();

  /** Creates an empty record. */
  AuditLog(EventSink events, Ticker ticker, WallClock clock) {
    this.events = events;
    this.ticker = ticker;
    this.clock = clock;
  }

  @Override
  public void answered(String who, ServerHttpRequest request, ServerHttpResponse response) {
    HttpMethod method = request.getMethod();
    HttpStatusCode status = response.getStatusCode();
    boolean asks = method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    boolean done = status != null && status.is2xxSuccessful();
    if (!asks && done && !QUESTIONS.matcher(request.getURI().getPath()).matches()) {
      record(who, request);
    }
  }

  private void record(String who, ServerHttpRequest request) {
    String query = request.getURI().getRawQuery();
    String what =
        request.getMethod()
            + " "
            + request.getURI().getRawPath()
            + (query == null ? "" : "?" + query);
    InetSocketAddress address = request.getRemoteAddress();
    String from = address == null ? "" : address.getAddress().getHostAddress();
    add(
        new Action(
            Instant.ofEpochMilli(clock.unixMillis()).toString(),
            who,
            from,
            what.substring(0, Math.min(what.length(), LONGEST))));
  }

  private void add(Action action) {
    synchronized (actions) {
      if (actions.size() >= MOST) {
        actions.removeFirst();
      }
      actions.addLast(action);
    }
    LOG.info("{} at {} did {}", action.who(), action.from(), action.what());
    events.publish(new Event.Operated(ticker.nanos(), action.who(), action.from(), action.what()));
  }

  /** Returns the latest actions, the newest first. */
  List<Action> latest(int most) {
    List<Action> latest = new ArrayList<>();
    synchronized (actions) {
      var newestFirst = actions.descendingIterator();
      while (newestFirst.hasNext() && latest.size() < most) {
        latest.add(Objects.requireNonNull(newestFirst.next()));
      }
    }
    return latest;
  }
}
