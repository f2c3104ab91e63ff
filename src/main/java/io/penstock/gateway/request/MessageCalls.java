package io.penstock.gateway.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.provider.CallPaths;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;

/**
 * Recognises WebSockets of OpenAI's Responses API. Each message of a client that creates a response
 * there is a call, as the same body would be in a POST.
 */
public final class MessageCalls {
  private static final String PATH = "/responses";

  /** The protocol over which the same calls can be made. */
  private static final String INSTEAD = "HTTP/1.1";

  private MessageCalls() {}

  /** Returns whether a request asks for its connection to become a WebSocket. */
  public static boolean asksForWebSocket(ServerHttpRequest request) {
    return "websocket".equalsIgnoreCase(request.getHeaders().getUpgrade());
  }

  /** Returns the call that is each message of the WebSocket that a request asks for, or null. */
  public static @Nullable ProviderCall of(EndpointSpec spec, ServerHttpRequest request) {
    if (!asksForWebSocket(request)) {
      return null;
    }
    ProviderCall posted =
        ProviderCall.of(spec, HttpMethod.POST.name(), request.getURI().getRawPath());
    return posted.weighed() && CallPaths.names(posted.path(), PATH) ? posted : null;
  }

  /**
   * Makes 426 the status of every refusal of such a WebSocket: clients then make the same call over
   * HTTP at once, and learn the true status there. A 426 names the protocol to use instead.
   */
  public static void refuse(ServerWebExchange exchange) {
    ServerHttpResponse response = exchange.getResponse();
    HttpStatusCode status = response.getStatusCode();
    if (status == null || !asksForWebSocket(exchange.getRequest())) {
      return;
    }
    if (opens(exchange)) {
      response.setStatusCode(HttpStatus.UPGRADE_REQUIRED);
    }
    if (HttpStatus.UPGRADE_REQUIRED.equals(response.getStatusCode())) {
      response.getHeaders().set(HttpHeaders.UPGRADE, INSTEAD);
      response.getHeaders().add(HttpHeaders.CONNECTION, HttpHeaders.UPGRADE);
    }
  }

  /** Returns whether it asks for one, as far as that is known of a client that may not come in. */
  private static boolean opens(ServerWebExchange exchange) {
    RequestContext requestContext = RequestContext.find(exchange);
    ServerHttpRequest request = exchange.getRequest();
    return requestContext == null
        ? CallPaths.names(request.getURI().getRawPath(), PATH)
        : of(requestContext.endpoint().spec(), request) != null;
  }
}
