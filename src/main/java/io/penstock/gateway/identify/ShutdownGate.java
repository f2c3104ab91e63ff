package io.penstock.gateway.identify;

import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.wire.ClientConnections;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Lets requests in until the gateway stops, and knows when the last of them has left. Safe from any
 * thread.
 */
public final class ShutdownGate {
  /** Refusal while the gateway stops, for those whom another instance serves. */
  public static final Refusal CLOSED =
      Refusal.of(RefusalReason.SHUTTING_DOWN, "the gateway is shutting down");

  private final ClientConnections clientConnections;
  private final CompletableFuture<Void> empty = new CompletableFuture<>();
  private long inside;
  private boolean closing;
  private boolean closed;
  private volatile Refusal refusal = CLOSED;

  public ShutdownGate(ClientConnections clientConnections) {
    this.clientConnections = clientConnections;
  }

  /** Returns the refusal of requests that come, or still wait, while the gateway stops. */
  public Refusal refusal() {
    return refusal;
  }

  /** Tells refused requests to come back after a time, because no other instance serves them. */
  public void servesAgainAfter(Duration time) {
    refusal = CLOSED.retryAfter(time.toNanos());
  }

  /**
   * Lets a request in, which later has to {@link #leave}; returns false when no more requests are
   * let in.
   */
  synchronized boolean enter() {
    if (closed) {
      return false;
    }
    inside++;
    return true;
  }

  /** Returns whether requests are let in. */
  synchronized boolean open() {
    return !closed;
  }

  /** Counts a request out that was let in: it has its answer, or needs none any more. */
  void leave() {
    if (left()) {
      empty.complete(null);
    }
  }

  private synchronized boolean left() {
    inside--;
    return closed && inside == 0;
  }

  /** Returns whether requests are no longer let in, or will soon not be. */
  synchronized boolean isClosing() {
    return closing;
  }

  /** Makes clients take their next requests to other connections, but still lets requests in. */
  public void closing() {
    close(false);
    clientConnections.leave(false);
  }

  /**
   * Lets no more requests in, and makes clients take their next requests to other connections.
   *
   * @return completes when no request is inside
   */
  public CompletableFuture<Void> close() {
    if (close(true)) {
      empty.complete(null);
    }
    clientConnections.leave(true);
    return empty;
  }

  private synchronized boolean close(boolean now) {
    closing = true;
    closed = closed || now;
    return inside == 0;
  }

  /** Returns how many requests are inside: being read, waiting or being answered. */
  public synchronized long inside() {
    return inside;
  }
}
