package io.penstock.gateway.request;

import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * A message of a client's WebSocket that is a call. It goes to the upstream of its WebSocket, after
 * the calls before it. Belongs to the event loop of the request.
 */
public interface SocketMessage {
  /** Makes an exchange that of a message. */
  static void attach(ServerWebExchange exchange, SocketMessage message) {
    exchange.getAttributes().put(SocketMessage.class.getName(), message);
  }

  /** Returns the message of an exchange, or null when it is an ordinary request. */
  static @Nullable SocketMessage find(ServerWebExchange exchange) {
    return exchange.getAttribute(SocketMessage.class.getName());
  }

  /** Returns the id of the upstream at the other end of the WebSocket. */
  String upstream();

  /** Returns whether the message, which was read, asks for a response. */
  boolean creates();

  /** Returns a signal for the end of the call before it, or null when there is none. */
  @Nullable Mono<Void> turn();
}
