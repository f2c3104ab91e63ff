package io.penstock.gateway.weigh;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.explain.BindingLimit;
import io.penstock.explain.BindingLimit.Cause;
import io.penstock.gateway.body.BadUpload;
import io.penstock.gateway.body.BodyBudget;
import io.penstock.gateway.body.BodyEncoding;
import io.penstock.gateway.body.BodyIntake;
import io.penstock.gateway.body.BodyIntake.End;
import io.penstock.gateway.body.HeldBody;
import io.penstock.gateway.body.WatchedUpload;
import io.penstock.gateway.request.FilterOrder;
import io.penstock.gateway.request.ForbiddenCalls;
import io.penstock.gateway.request.MessageCalls;
import io.penstock.gateway.request.ProviderCall;
import io.penstock.gateway.request.RefusalWriter;
import io.penstock.gateway.request.RequestContext;
import io.penstock.prefix.FingerprintKeys;
import io.penstock.prefix.HashKey;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.WeighedRequest;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/** Step 2, weigh: determines what the request will cost. */
public final class WeighFilter implements GlobalFilter, Ordered {
  private static final Refusal OTHER_MODEL =
      Refusal.of(
          RefusalReason.BAD_REQUEST,
          "the path names another model than the one that is asked for, or names it ambiguously");

  private final RequestWeighing weighing;
  private final EarlyRefusal early;
  private final BodyBudget bodies;
  private final BodyIntake.Terms terms;
  private final FingerprintKeys fingerprintKeys;

  /** Creates the step; bodies have to come as fast as {@code terms} require. */
  public WeighFilter(
      RequestWeighing weighing,
      EarlyRefusal early,
      BodyBudget bodies,
      BodyIntake.Terms terms,
      FingerprintKeys fingerprintKeys) {
    this.weighing = weighing;
    this.early = early;
    this.bodies = bodies;
    this.terms = terms;
    this.fingerprintKeys = fingerprintKeys;
  }

  @Override
  public int getOrder() {
    return FilterOrder.WEIGH;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    RequestContext requestContext = RequestContext.of(exchange);
    EndpointSpec spec = requestContext.endpoint().spec();
    ServerHttpRequest request = exchange.getRequest();
    ProviderCall call = requestContext.call();
    Refusal ofMessages = MessageCalls.of(spec, request) == null ? null : early.of(requestContext);
    if (ofMessages != null) {
      return refuse(exchange, requestContext, ofMessages);
    }
    if (!call.weighed()) {
      if (!call.light()) {
        Refusal usedUp = early.ofUnweighed(requestContext, request);
        if (usedUp != null) {
          return refuse(exchange, requestContext, usedUp);
        }
        requestContext.setCost(
            RequestWeighing.unread(spec.reading(), requestContext.parameters().tokens()));
      }
      return chain.filter(spec.permit() ? exchange : watched(exchange));
    }
    Refusal forbidden = ForbiddenCalls.of(requestContext);
    if (forbidden != null) {
      return refuse(exchange, requestContext, forbidden);
    }
    requestContext.setOperation(call.reader().operation(call.path()));
    BodyEncoding encoding = BodyEncoding.of(request.getHeaders());
    if (encoding == null) {
      return refuse(exchange, requestContext, BadUpload.encoded(request.getHeaders()));
    }
    long most = spec.reading().maxBodyBytes();
    if (request.getHeaders().getContentLength() > most) {
      return refuse(exchange, requestContext, tooLarge(most));
    }
    Refusal refusal = early.of(requestContext);
    if (refusal != null) {
      return refuse(exchange, requestContext, refusal);
    }
    // a key that warms caches for itself meets nothing that others have made known
    boolean alone = spec.forwarding().warmup().perKey();
    HashKey key = fingerprintKeys.of(alone ? requestContext.key() : null);
    RequestReader reader = call.reader().requestReader(spec.reading(), call.path(), key);
    HeldBody body = requestContext.body();
    Mono<End> intake =
        BodyIntake.read(
            request, body, encoding, reader, most, terms, () -> countCancelled(requestContext));
    return requestContext
        .held(
            () ->
                BindingLimit.of(
                    body.waitsForMemory() ? Cause.BODY_MEMORY : Cause.BODY, Ticker.NEVER),
            intake)
        .flatMap(end -> read(exchange, chain, reader, end))
        .doFinally(signal -> requestContext.body().free());
  }

  /**
   * Watches the pace of a body that is streamed through. The body of a permit is not watched: it is
   * read only to see the end of its connection, however late that is.
   */
  private ServerWebExchange watched(ServerWebExchange exchange) {
    WatchedUpload upload = new WatchedUpload(exchange.getRequest(), terms.pace());
    return exchange.mutate().request(upload).build();
  }

  private Mono<Void> read(
      ServerWebExchange exchange, GatewayFilterChain chain, RequestReader reader, End end) {
    RequestContext requestContext = RequestContext.of(exchange);
    return switch (end) {
      case WHOLE -> weighed(exchange, chain, reader.finish());
      case TOO_LARGE ->
          refuse(
              exchange,
              requestContext,
              tooLarge(requestContext.endpoint().spec().reading().maxBodyBytes()));
      case CORRUPT -> refuse(exchange, requestContext, BadUpload.CORRUPT);
      case LATE -> {
        bodies.countLate();
        yield refuse(exchange, requestContext, BadUpload.LATE);
      }
      case BROKEN -> {
        countCancelled(requestContext);
        yield Mono.empty();
      }
    };
  }

  private static void countCancelled(RequestContext requestContext) {
    requestContext.endpoint().countCancelled(requestContext.cost(), requestContext.body().size());
  }

  private Mono<Void> weighed(
      ServerWebExchange exchange, GatewayFilterChain chain, WeighedRequest weighedRequest) {
    RequestContext requestContext = RequestContext.of(exchange);
    return switch (weighedRequest) {
      case WeighedRequest.Malformed(String detail) ->
          refuse(exchange, requestContext, Refusal.of(RefusalReason.BAD_REQUEST, detail));
      case WeighedRequest.Request body -> {
        if (!namesOnly(exchange, body.model())) {
          yield refuse(exchange, requestContext, OTHER_MODEL);
        }
        Refusal open = NeededValues.refusal(requestContext, body.doubts());
        if (open != null) {
          yield refuse(exchange, requestContext, open);
        }
        RequestWeighing.Result result = weighing.atOnce(requestContext, body);
        yield result == null
            ? later(exchange, body).flatMap(each -> on(exchange, chain, body, each))
            : on(exchange, chain, body, result);
      }
    };
  }

  private static boolean namesOnly(ServerWebExchange exchange, @Nullable String model) {
    RequestContext requestContext = RequestContext.of(exchange);
    return requestContext
        .call()
        .namesOnly(
            requestContext.endpoint().spec(), model, exchange.getRequest().getURI().getRawPath());
  }

  private Mono<RequestWeighing.Result> later(
      ServerWebExchange exchange, WeighedRequest.Request body) {
    RequestContext requestContext = RequestContext.of(exchange);
    ServerHttpRequest request = exchange.getRequest();
    return requestContext
        .loop()
        .handOver(
            requestContext.held(
                () -> BindingLimit.of(Cause.INPUT_COUNT, Ticker.NEVER),
                weighing.later(requestContext, body, request)),
            unwanted -> {})
        // not doOnCancel: whoever waits for a later step cancels this one too
        .doFinally(
            signal -> {
              if (signal == SignalType.CANCEL) {
                countCancelled(requestContext);
              }
            });
  }

  private static Mono<Void> on(
      ServerWebExchange exchange,
      GatewayFilterChain chain,
      WeighedRequest.Request body,
      RequestWeighing.Result result) {
    RequestContext requestContext = RequestContext.of(exchange);
    requestContext.setCost(result.cost(), body, result.content());
    requestContext.addMaximum(result.addedMaximum());
    requestContext.setPrefixAffinity(result.affinity());
    if (result.refusal() != null) {
      return refuse(exchange, requestContext, result.refusal());
    }
    return chain.filter(exchange);
  }

  private static Refusal tooLarge(long most) {
    return Refusal.of(RefusalReason.BODY_TOO_LARGE, "the body is larger than " + most + " bytes");
  }

  private static Mono<Void> refuse(
      ServerWebExchange exchange, RequestContext requestContext, Refusal refusal) {
    requestContext
        .endpoint()
        .refused(
            requestContext.origin(), requestContext.cost(), requestContext.body().size(), refusal);
    return RefusalWriter.refuse(exchange, requestContext, refusal);
  }
}
