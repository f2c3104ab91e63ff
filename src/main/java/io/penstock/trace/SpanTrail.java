package io.penstock.trace;

import io.netty.handler.codec.http.HttpHeaders;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.penstock.cost.GenAiConventions;
import io.penstock.cost.ModelOperation;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.endpoint.Endpoint;
import io.penstock.explain.BindingLimit;
import io.penstock.explain.WaitNote;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Refusal;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Records one request as spans: one for the whole request, and within it one, {@code park}, for
 * each time it waits and one, {@code upstream}, for each attempt.
 */
final class SpanTrail implements RequestTrail {
  private static final AttributeKey<Long> STATUS =
      AttributeKey.longKey("http.response.status_code");
  private static final AttributeKey<String> ROUTE = AttributeKey.stringKey("http.route");
  private static final AttributeKey<String> ENDPOINT = AttributeKey.stringKey("penstock.endpoint");
  private static final AttributeKey<String> REQUEST = AttributeKey.stringKey("penstock.request_id");
  private static final AttributeKey<String> KEY = AttributeKey.stringKey("penstock.key");
  private static final AttributeKey<String> REASON = AttributeKey.stringKey("penstock.reason");
  private static final AttributeKey<Long> TICKET = AttributeKey.longKey("penstock.ticket");
  private static final AttributeKey<Long> COST = AttributeKey.longKey("penstock.cost.tokens");
  private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("penstock.outcome");
  private static final AttributeKey<String> HELD = AttributeKey.stringKey("penstock.held_by");
  private static final AttributeKey<String> LIMIT = AttributeKey.stringKey("penstock.limit");
  private static final AttributeKey<String> UPSTREAM = AttributeKey.stringKey("penstock.upstream");
  private static final AttributeKey<String> ERROR =
      AttributeKey.stringKey(GenAiConventions.ERROR_TYPE);
  private static final AttributeKey<Long> PORT = AttributeKey.longKey(GenAiConventions.SERVER_PORT);
  private static final AttributeKey<Long> INPUT =
      AttributeKey.longKey(GenAiConventions.INPUT_TOKENS);
  private static final AttributeKey<Long> OUTPUT =
      AttributeKey.longKey(GenAiConventions.OUTPUT_TOKENS);

  /** The lowest status that is the gateway's fault. */
  private static final int FAULTS = 500;

  private final Tracer tracer;
  private final TextMapPropagator propagator;
  private final TraceExamples examples;
  private final Span span;
  private final Context context;
  private final String method;
  private @Nullable String provider;
  private String path = "";
  private @Nullable ParkedTicket ticket;
  private @Nullable Span park;
  private @Nullable Span call;

  SpanTrail(
      Tracer tracer,
      TextMapPropagator propagator,
      TraceExamples examples,
      Span span,
      Context context,
      String method) {
    this.tracer = tracer;
    this.propagator = propagator;
    this.examples = examples;
    this.span = span;
    this.context = context;
    this.method = method;
  }

  @Override
  public @Nullable String traceId() {
    return span.getSpanContext().getTraceId();
  }

  @Override
  public void entered(Endpoint endpoint, String requestId, String key) {
    provider = endpoint.spec().reading().dialect().telemetryName();
    path = endpoint.path();
    span.updateName(method + " " + path);
    span.setAttribute(ROUTE, path);
    span.setAttribute(REQUEST, requestId);
    span.setAttribute(KEY, key);
  }

  @Override
  public void submitted(ParkedTicket parkedTicket) {
    ticket = parkedTicket;
    SpanContext known = span.getSpanContext();
    if (known.isSampled()) {
      examples.begun(parkedTicket.order(), known.getTraceId(), known.getSpanId());
    }
    span.setAttribute(TICKET, parkedTicket.order());
    span.setAttribute(COST, parkedTicket.cost().totalTokens());
    if (parkedTicket.waited()) {
      park =
          tracer
              .spanBuilder("park")
              .setParent(context)
              .setAttribute(ENDPOINT, path)
              .setAttribute(TICKET, parkedTicket.order())
              .setAttribute(COST, parkedTicket.cost().totalTokens())
              .startSpan();
    }
  }

  @Override
  public void released(TicketSettlement settlement) {
    leaves("released");
  }

  @Override
  public void refused(Refusal refusal) {
    span.setAttribute(REASON, refusal.reason().code());
    if (park != null) {
      park.setAttribute(REASON, refusal.reason().code());
    }
    leaves("refused");
  }

  /** Ends the span of the wait. */
  private void leaves(String outcome) {
    Span left = park;
    if (left == null) {
      return;
    }
    park = null;
    left.setAttribute(OUTCOME, outcome);
    BindingLimit held = ticket == null ? null : WaitNote.binding(ticket);
    if (held != null) {
      left.setAttribute(HELD, lower(held.cause().name()));
      left.setAttribute(LIMIT, limit(held));
    }
    left.end();
  }

  /** Returns the owner of a limit and its measure, in a few words; null if it is not a limit. */
  private static @Nullable String limit(BindingLimit held) {
    if (held.kind() == null) {
      return null;
    }
    String owner = lower(held.kind().name()) + " " + held.name();
    return held.measure() == null ? owner : owner + " " + lower(held.measure().name());
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  @Override
  public void callStarts(
      UpstreamSpec upstream, URI base, @Nullable String model, @Nullable ModelOperation operation) {
    over(null);
    Span begun =
        tracer.spanBuilder("upstream").setParent(context).setSpanKind(SpanKind.CLIENT).startSpan();
    call = begun;
    begun.setAttribute(UPSTREAM, upstream.id());
    if (operation != null) {
      begun.setAttribute(GenAiConventions.OPERATION_NAME, GenAiConventions.name(operation));
      begun.setAttribute(GenAiConventions.PROVIDER_NAME, provider);
      begun.setAttribute(GenAiConventions.REQUEST_MODEL, model);
    }
    begun.setAttribute(GenAiConventions.SERVER_ADDRESS, base.getHost());
    if (base.getPort() > 0) {
      begun.setAttribute(PORT, (long) base.getPort());
    }
  }

  @Override
  public void setTraceHeaders(HttpHeaders headers) {
    propagator.fields().forEach(headers::remove);
    Context teller = call == null ? context : context.with(call);
    propagator.inject(teller, headers, SpanTrail::set);
  }

  private static void set(@Nullable HttpHeaders headers, String name, String value) {
    if (headers != null) {
      headers.set(name, value);
    }
  }

  @Override
  public void statusReceived(int status) {
    if (call != null) {
      call.setAttribute(STATUS, (long) status);
    }
  }

  @Override
  public void modelNamed(String model) {
    if (call != null) {
      call.setAttribute(GenAiConventions.RESPONSE_MODEL, model);
    }
  }

  @Override
  public void callEnded(@Nullable TokenUsage usage, @Nullable String error) {
    if (call != null && usage != null) {
      call.setAttribute(INPUT, usage.inputTokens());
      call.setAttribute(OUTPUT, usage.outputTokens());
    }
    over(error);
  }

  /** Ends the span of the attempt. */
  private void over(@Nullable String error) {
    Span ended = call;
    if (ended == null) {
      return;
    }
    call = null;
    if (error != null) {
      ended.setAttribute(ERROR, error);
      ended.setStatus(StatusCode.ERROR);
    }
    ended.end();
  }

  @Override
  public void ended(int status, @Nullable String reason) {
    leaves("cancelled");
    over(null);
    if (ticket != null) {
      examples.ended(ticket.order());
    }
    if (reason != null) {
      span.setAttribute(REASON, reason);
    }
    if (status > 0) {
      span.setAttribute(STATUS, (long) status);
    } else {
      span.setAttribute(OUTCOME, "cancelled");
    }
    if (status >= FAULTS) {
      span.setAttribute(ERROR, Integer.toString(status));
      span.setStatus(StatusCode.ERROR);
    }
    span.end();
  }
}
