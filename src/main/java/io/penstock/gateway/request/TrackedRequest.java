package io.penstock.gateway.request;

import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.endpoint.Endpoint;
import io.penstock.pool.Upstream;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * The part of a request's state that its client may know. The event loop of the request changes it;
 * any thread may read it.
 */
public final class TrackedRequest {
  /** State of a request. */
  public sealed interface State {}

  /** Its body is read, or it is about to be admitted or refused. */
  public record Arriving() implements State {}

  /** It waits in the queue. */
  public record Waiting(Endpoint endpoint, ParkedTicket ticket) implements State {}

  /**
   * It was released.
   *
   * @param upstream the id of the upstream that serves it, or null for a permit
   * @param queuedNanos how long it waited
   * @param sinceNanos when it was released
   */
  public record Running(@Nullable String upstream, long queuedNanos, long sinceNanos)
      implements State {}

  /**
   * It is over.
   *
   * @param queuedNanos how long it waited
   * @param atNanos when it ended
   */
  public record Ended(Answer answer, long queuedNanos, long atNanos) implements State {}

  /**
   * The answer that the client got.
   *
   * @param status its status, or that of the refusal where heartbeats had begun the answer before;
   *     0 when the client went away first
   * @param reason why it was refused, or null
   */
  public record Answer(int status, @Nullable String reason) {}

  private final Object client;
  private final String requestId;
  private final String path;
  private final Ticker ticker;
  private volatile State state = new Arriving();
  private @Nullable Answer refusal;

  TrackedRequest(Object client, String requestId, String path, Ticker ticker) {
    this.client = client;
    this.requestId = requestId;
    this.path = path;
    this.ticker = ticker;
  }

  Object client() {
    return client;
  }

  public String requestId() {
    return requestId;
  }

  /** Returns the path of its endpoint. */
  public String path() {
    return path;
  }

  public State state() {
    return state;
  }

  void submitted(Endpoint endpoint, ParkedTicket ticket) {
    state = new Waiting(endpoint, ticket);
  }

  void granted(TicketSettlement settlement) {
    Upstream upstream = settlement.upstream();
    state =
        new Running(
            upstream == null ? null : upstream.spec().id(),
            settlement.waitedNanos(),
            ticker.nanos());
  }

  void refused(Answer with) {
    refusal = with;
  }

  /**
   * Notes that it is over.
   *
   * @param status the status of the answer; 0 if the client went away before its end
   */
  public void ended(int status) {
    long now = ticker.nanos();
    Answer refused = refusal;
    long queuedNanos =
        switch (state) {
          case Waiting waiting -> now - waiting.ticket().arrivedNanos();
          case Running running -> running.queuedNanos();
          case Arriving arriving -> 0;
          case Ended before -> before.queuedNanos();
        };
    Answer answer = refused == null || status == 0 ? new Answer(status, null) : refused;
    state = new Ended(answer, queuedNanos, now);
  }
}
