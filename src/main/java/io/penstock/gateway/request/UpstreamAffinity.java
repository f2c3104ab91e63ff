package io.penstock.gateway.request;

import io.penstock.dispatch.TicketRequest;
import io.penstock.endpoint.EndpointSpec.Affinity;
import io.penstock.pool.ResponseOrigins;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;

/** Decides which requests should go to one particular upstream (affinity). Safe from any thread. */
public final class UpstreamAffinity {
  /** Number of ids that are remembered. */
  private static final int MOST_IDS = 100_000;

  private final ResponseOrigins origins = new ResponseOrigins(MOST_IDS);
  private final Ticker ticker;

  public UpstreamAffinity(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Returns the affinity of a request with a body that was read. */
  public TicketRequest.RequestAffinity of(
      RequestContext requestContext, ServerHttpRequest request) {
    SocketMessage message = requestContext.message();
    if (message != null) {
      return new TicketRequest.RequestAffinity(null, message.upstream());
    }
    return switch (requestContext.endpoint().spec().forwarding().affinity()) {
      case Affinity.None none -> TicketRequest.RequestAffinity.NONE;
      case Affinity.Key key ->
          with(requestContext.key().equals(RequestContext.ANONYMOUS) ? null : requestContext.key());
      case Affinity.Header(String name) -> with(request.getHeaders().getFirst(name));
      case Affinity.Auto auto -> at(requestContext.refersTo(), request.getURI().getRawPath());
      case Affinity.Prefix prefix -> {
        TicketRequest.RequestAffinity given =
            at(requestContext.refersTo(), request.getURI().getRawPath());
        yield given.at() == null ? requestContext.prefixAffinity() : given;
      }
    };
  }

  private static TicketRequest.RequestAffinity with(@Nullable String common) {
    return common == null
        ? TicketRequest.RequestAffinity.NONE
        : new TicketRequest.RequestAffinity(common, null);
  }

  /**
   * Returns the affinity to the upstream that gave an id in the body or in a segment of the path.
   */
  private TicketRequest.RequestAffinity at(@Nullable String refersTo, String path) {
    long now = ticker.nanos();
    String upstream = refersTo == null ? null : origins.of(refersTo, now);
    int start = 1;
    while (upstream == null && start < path.length()) {
      int slash = path.indexOf('/', start);
      int end = slash < 0 ? path.length() : slash;
      upstream = origins.of(path.substring(start, end), now);
      start = end + 1;
    }
    return upstream == null
        ? TicketRequest.RequestAffinity.NONE
        : new TicketRequest.RequestAffinity(null, upstream);
  }

  /** Returns whether it has to be remembered which upstream answers a request. */
  static boolean matter(RequestContext requestContext) {
    Affinity affinity = requestContext.endpoint().spec().forwarding().affinity();
    return (affinity instanceof Affinity.Auto || affinity instanceof Affinity.Prefix)
        && requestContext.endpoint().spec().upstreams().size() > 1;
  }

  /** Remembers that an upstream gave an id. */
  void remember(String upstream, String id) {
    origins.remember(upstream, id, ticker.nanos());
  }
}
