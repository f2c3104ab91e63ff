package io.penstock.gateway.request;

import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The requests that are in the gateway or ended within the last minute, for clients that ask what
 * became of theirs. Safe from any thread.
 *
 * <p>Each client finds its own requests only. If several requests of a client have the same id, the
 * latest counts. Requests in the gateway are always kept: each of them has a connection or a place
 * in a queue, and those are bounded. The latest {@value #MOST_ENDED} ended requests are kept, and
 * at most {@value #MOST_ENDED_OF_CLIENT} of one client.
 */
public final class RecentRequests {
  /** Stands for all clients where no keys are needed. */
  public static final Object ANYONE = "anyone";

  /** Most ended requests that are kept. */
  static final int MOST_ENDED = 20_000;

  /** Most ended requests of one client that are kept. */
  static final int MOST_ENDED_OF_CLIENT = 1_000;

  /** Time for which an ended request is kept. */
  static final long KEPT_NANOS = 60_000_000_000L;

  /** The requests of one client. */
  private static final class Client {
    final Map<String, TrackedRequest> byId = new HashMap<>();

    /** Those that ended, in the order of their ends. */
    final Set<TrackedRequest> ended = new LinkedHashSet<>();
  }

  private final Ticker ticker;

  @SharedState("recent requests")
  private final Map<Object, Client> clients = new HashMap<>();

  /** The ended requests of all clients, in the order of their ends. */
  @SharedState("recent requests")
  private final Set<TrackedRequest> ended = new LinkedHashSet<>();

  public RecentRequests(Ticker ticker) {
    this.ticker = ticker;
  }

  /**
   * Adds a request that came to an endpoint.
   *
   * @param client identifies the client that may ask for it
   * @param path the path of the endpoint
   */
  public TrackedRequest add(Object client, String requestId, String path) {
    TrackedRequest request = new TrackedRequest(client, requestId, path, ticker);
    synchronized (this) {
      forgetOld();
      Client of = clients.computeIfAbsent(client, absent -> new Client());
      TrackedRequest earlier = of.byId.put(requestId, request);
      if (earlier != null) {
        of.ended.remove(earlier);
        ended.remove(earlier);
      }
    }
    return request;
  }

  /** Notes that a request ended; its last state is known by then. */
  public synchronized void ended(TrackedRequest request) {
    forgetOld();
    Client client = clients.get(request.client());
    if (client == null || client.byId.get(request.requestId()) != request) {
      return; // a later request has taken over its id
    }
    client.ended.add(request);
    ended.add(request);
    if (client.ended.size() > MOST_ENDED_OF_CLIENT) {
      forget(client.ended.iterator().next());
    }
    if (ended.size() > MOST_ENDED) {
      forget(ended.iterator().next());
    }
  }

  /** Returns a request of a client, or null when there is none with that id. */
  public synchronized @Nullable TrackedRequest find(Object client, String requestId) {
    forgetOld();
    Client of = clients.get(client);
    return of == null ? null : of.byId.get(requestId);
  }

  private void forgetOld() {
    long now = ticker.nanos();
    Iterator<TrackedRequest> oldest = ended.iterator();
    while (oldest.hasNext()) {
      TrackedRequest each = oldest.next();
      if (!(each.state() instanceof TrackedRequest.Ended end) || now - end.atNanos() < KEPT_NANOS) {
        return;
      }
      oldest.remove();
      remove(each);
    }
  }

  private void forget(TrackedRequest request) {
    ended.remove(request);
    remove(request);
  }

  private void remove(TrackedRequest request) {
    Client client = clients.get(request.client());
    if (client != null) {
      client.ended.remove(request);
      client.byId.remove(request.requestId(), request);
      if (client.byId.isEmpty()) {
        clients.remove(request.client());
      }
    }
  }

  /** Returns how many clients and ended requests are known. */
  synchronized int size() {
    return clients.size() + ended.size();
  }
}
