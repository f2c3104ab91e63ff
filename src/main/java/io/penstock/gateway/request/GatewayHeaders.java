package io.penstock.gateway.request;

import io.penstock.cost.RequestContent;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.pool.Upstream;
import io.penstock.wire.HeaderNames;
import org.springframework.http.HttpHeaders;

/** Writes the gateway's own headers, which every answer has. */
public final class GatewayHeaders {
  private GatewayHeaders() {}

  public static void write(
      HttpHeaders headers, RequestContext requestContext, TicketSettlement settlement) {
    write(headers, requestContext);
    Upstream upstream = settlement.upstream();
    if (upstream != null) {
      String model = settlement.model();
      boolean fallback = model != null && !model.equals(requestContext.model());
      String id = upstream.spec().id();
      headers.set(HeaderNames.UPSTREAM, fallback ? id + "/" + model : id);
    }
    requestContext.limitHeaders().forEach(headers::set);
    headers.set(HeaderNames.QUEUED_MS, Long.toString(settlement.waitedNanos() / 1_000_000));
    if (requestContext.loweredMaximum() != RequestContent.UNSTATED) {
      headers.set(HeaderNames.MAX_OUTPUT, Long.toString(requestContext.loweredMaximum()));
    }
  }

  /** Writes the headers that are known before a request is sent. */
  public static void write(HttpHeaders headers, RequestContext requestContext) {
    headers.set(HeaderNames.REQUEST_ID, requestContext.requestId());
    headers.set(HeaderNames.ENDPOINT, requestContext.endpoint().path());
    headers.set(HeaderNames.COST, Long.toString(requestContext.cost().totalTokens()));
  }
}
