package io.penstock.gateway.forward;

import io.penstock.refusal.Refusal;

/** Thrown when a WebSocket cannot be opened because there are as many as there may be. */
final class WebSocketsFull extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Refusal refusal;

  WebSocketsFull(Refusal refusal) {
    super(refusal.detail(), null, false, false);
    this.refusal = refusal;
  }

  Refusal refusal() {
    return refusal;
  }
}
