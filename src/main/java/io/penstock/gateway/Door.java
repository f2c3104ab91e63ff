package io.penstock.gateway;

import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.wire.Connections;
import java.util.concurrent.CompletableFuture;

/**
 * Lets requests in until the gateway stops, and knows when the last of them has left. Safe from any
 * thread.
 */
public final class Door {
  /** What those are told who are not let in, or not let wait on. */
  public static final Refusal CLOSED =
      Refusal.of(Reason.SHUTTING_DOWN, "the gateway is shutting down");

  private final Connections connections;
  private final CompletableFuture<Void> empty = new CompletableFuture<>();
  private long inside;
  private boolean closing;
  private boolean closed;

  Door(Connections connections) {
    this.connections = connections;
  }

  /** Lets a request in, which has to {@link #leave}; returns false when nobody is let in. */
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

  /** Says that a request that was let in has its answer, or needs none any more. */
  void leave() {
    if (left()) {
      empty.complete(null);
    }
  }

  private synchronized boolean left() {
    inside--;
    return closed && inside == 0;
  }

  /** Returns whether nobody is let in any more, or soon is not. */
  synchronized boolean isClosing() {
    return closing;
  }

  /** Has clients take their next requests to other connections, and lets those in who do not. */
  public void closing() {
    close(false);
    connections.leave(false);
  }

  /**
   * Lets nobody in any more, and has clients take their next requests to other connections.
   *
   * @return completes when nobody is inside
   */
  public CompletableFuture<Void> close() {
    if (close(true)) {
      empty.complete(null);
    }
    connections.leave(true);
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
