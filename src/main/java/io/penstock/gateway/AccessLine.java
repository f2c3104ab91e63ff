package io.penstock.gateway;

import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.cost.ModelOperation;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.endpoint.Endpoint;
import io.penstock.gateway.request.PrintableText;
import io.penstock.gateway.request.RequestContext;
import io.penstock.gateway.request.UsageTap;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import io.penstock.trace.RequestTrail;
import io.penstock.wire.HeaderNames;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import org.springframework.web.server.ServerWebExchange;

/**
 * Writes one line to the access log when a request ends, without its query, body and credentials.
 */
final class AccessLine implements RequestTrail {
  /** Logger with a name of its own, so that the access log can be sent elsewhere. */
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.access");

  private static final long MILLI = 1_000_000L;

  private final RequestTrail trace;
  private final ServerWebExchange exchange;
  private final Ticker ticker;
  private final long begunNanos;
  private @Nullable ParkedTicket ticket;
  private @Nullable Refusal refusal;
  private @Nullable TokenUsage usage;
  private @Nullable String error;
  private long waitedNanos;
  private long bytes;
  private int attempts;

  /** Returns whether the level of the access log asks for a line of every request. */
  static boolean ofEveryRequest() {
    return LOG.isDebugEnabled();
  }

  /** Passes every notification on to {@code trace}. */
  AccessLine(RequestTrail trace, ServerWebExchange exchange, Ticker ticker) {
    this.trace = trace;
    this.exchange = exchange;
    this.ticker = ticker;
    this.begunNanos = ticker.nanos();
  }

  @Override
  public void entered(Endpoint endpoint, String requestId, String key) {
    trace.entered(endpoint, requestId, key);
  }

  @Override
  public void submitted(ParkedTicket parkedTicket) {
    ticket = parkedTicket;
    trace.submitted(parkedTicket);
  }

  @Override
  public void released(TicketSettlement ticketSettlement) {
    waitedNanos = ticketSettlement.waitedNanos();
    trace.released(ticketSettlement);
  }

  @Override
  public void refused(Refusal why) {
    refusal = why;
    if (ticket != null && attempts == 0) {
      waitedNanos = ticker.nanos() - ticket.arrivedNanos();
    }
    trace.refused(why);
  }

  @Override
  public void callStarts(
      UpstreamSpec upstream, URI base, @Nullable String model, @Nullable ModelOperation operation) {
    attempts++;
    trace.callStarts(upstream, base, model, operation);
  }

  @Override
  public void setTraceHeaders(HttpHeaders headers) {
    trace.setTraceHeaders(headers);
  }

  @Override
  public void statusReceived(int status) {
    trace.statusReceived(status);
  }

  @Override
  public void modelNamed(String model) {
    trace.modelNamed(model);
  }

  @Override
  public void callEnded(@Nullable TokenUsage used, @Nullable String why) {
    usage = used;
    error = why;
    trace.callEnded(used, why);
  }

  @Override
  public void bytesForwarded(int more) {
    bytes += more;
    trace.bytesForwarded(more);
  }

  @Override
  public @Nullable String traceId() {
    return trace.traceId();
  }

  @Override
  public void ended(int status, @Nullable String reason) {
    trace.ended(status, reason);
    String why = refusal == null ? reason : refusal.reason().code();
    LoggingEventBuilder line = LOG.atInfo().setMessage("request");
    RequestContext requestContext = RequestContext.find(exchange);
    add(line, "method", exchange.getRequest().getMethod().name());
    add(line, "endpoint", endpoint(requestContext));
    add(line, "status", status == 0 ? null : status);
    add(line, "outcome", outcome(status, why));
    add(line, "reason", why);
    add(line, "duration_ms", (ticker.nanos() - begunNanos) / MILLI);
    add(line, "wait_ms", waitedNanos / MILLI);
    add(line, "attempts", attempts);
    if (requestContext != null) {
      of(line, requestContext);
    }
    add(line, "bytes_out", bytes);
    add(line, "trace_id", trace.traceId());
    line.log();
  }

  private void of(LoggingEventBuilder line, RequestContext requestContext) {
    TicketSettlement ticketSettlement = requestContext.settlement();
    Upstream upstream = ticketSettlement == null ? null : ticketSettlement.upstream();
    add(line, "upstream", upstream == null ? null : upstream.spec().id());
    add(line, "model", requestContext.askedModel());
    add(line, "key", requestContext.key());
    add(line, "tokens_reserved", requestContext.cost().totalTokens());
    add(line, "tokens_used", usage == null ? null : usage.totalTokens());
    add(line, "bytes_in", requestContext.body().size());
    add(line, "ticket", ticket == null ? null : ticket.order());
    add(line, "request_id", requestContext.requestId());
  }

  /** Returns the path of the endpoint that served the request, or would have served it. */
  private @Nullable String endpoint(@Nullable RequestContext requestContext) {
    return requestContext == null
        ? exchange.getResponse().getHeaders().getFirst(HeaderNames.ENDPOINT)
        : requestContext.endpoint().path();
  }

  private String outcome(int status, @Nullable String reason) {
    if (reason != null) {
      return "refused";
    }
    if (status == 0 || UsageTap.CLIENT_GONE.equals(error)) {
      return "cancelled";
    }
    return error == null || error.equals(Integer.toString(status)) ? "served" : "failed";
  }

  private static void add(LoggingEventBuilder line, String name, @Nullable Object value) {
    if (value instanceof String text) {
      var _ = line.addKeyValue(name, PrintableText.of(text));
    } else if (value != null) {
      var _ = line.addKeyValue(name, value);
    }
  }
}
