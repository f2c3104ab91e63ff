package io.penstock.gateway.identify;

import io.netty.channel.Channel;
import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.dispatch.TicketRequest;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.gateway.body.BodyBudget;
import io.penstock.gateway.body.HeldBody;
import io.penstock.gateway.request.ClientAddress;
import io.penstock.gateway.request.ClientIdentity;
import io.penstock.gateway.request.FilterOrder;
import io.penstock.gateway.request.ForbiddenCalls;
import io.penstock.gateway.request.GatewayParameters;
import io.penstock.gateway.request.MessageCalls;
import io.penstock.gateway.request.ProviderCall;
import io.penstock.gateway.request.RawPaths;
import io.penstock.gateway.request.RefusalWriter;
import io.penstock.gateway.request.RequestContext;
import io.penstock.gateway.request.RequestLoop;
import io.penstock.gateway.request.TrackedRequest;
import io.penstock.key.ApiCaller;
import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.RefusalBody;
import io.penstock.provider.RefusedCall;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.refusal.RetryAdvice;
import io.penstock.time.WallClock;
import io.penstock.wire.ConnectionGuard;
import io.penstock.wire.HeaderNames;
import io.penstock.wire.RequestIds;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/** Step 1, identify: which client, which endpoint and under which request id. */
public final class IdentifyFilter implements GlobalFilter, Ordered {
  /** Most characters of a path that are recorded. */
  private static final int LONGEST_PATH = 200;

  /** Methods that pass on: a server may read another spelling, or TRACE, in its own way. */
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

  private static final String BAD_METHOD =
      "the method is not known, expected GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS, in"
          + " capitals";

  /**
   * Detail of a refusal. The path of a permit is the name of what it permits, so there must be only
   * one way to write it.
   */
  private static final String BLURRED = "the path has an escaped slash";

  private final EndpointRegistry registry;
  private final BodyBudget bodies;
  private final ClientAddress addresses;
  private final ShutdownGate shutdownGate;
  private final BrowserRules browsers;
  private final EntryCheck entryCheck;
  private final StatusAnswer status;
  private final RequestAnswer requests;
  private final RequestIds requestIds = new RequestIds();
  private final WallClock clock;
  private final IgnoredParameterReport ignoredParameters;
  private final @Nullable OwnPaths ownPaths;

  /**
   * Creates the step.
   *
   * @param ownPaths answers the gateway's own paths, before any endpoint; null where there are none
   */
  public IdentifyFilter(
      EndpointRegistry registry,
      BodyBudget bodies,
      ClientAddress addresses,
      ShutdownGate shutdownGate,
      BrowserRules browsers,
      EntryCheck entryCheck,
      StatusAnswer status,
      RequestAnswer requests,
      @Nullable OwnPaths ownPaths,
      WallClock clock) {
    this.browsers = browsers;
    this.ownPaths = ownPaths;
    this.entryCheck = entryCheck;
    this.status = status;
    this.requests = requests;
    this.registry = registry;
    this.ignoredParameters = new IgnoredParameterReport(registry);
    this.bodies = bodies;
    this.addresses = addresses;
    this.shutdownGate = shutdownGate;
    this.clock = clock;
  }

  @Override
  public int getOrder() {
    return FilterOrder.IDENTIFY;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    exchange.getResponse().beforeCommit(() -> completed(exchange));
    return Mono.defer(
        () ->
            shutdownGate.enter()
                ? identified(exchange, chain).doFinally(signal -> shutdownGate.leave())
                : identified(exchange, this::refuseNew));
  }

  /**
   * Completes the headers of an answer. Browsers must not take an answer of the gateway itself, in
   * which texts of a request may be, for another type than it has. A client that is answered while
   * the gateway stops comes back on another connection.
   */
  private Mono<Void> completed(ServerWebExchange exchange) {
    HttpHeaders headers = exchange.getResponse().getHeaders();
    if (!headers.containsHeader(HeaderNames.UPSTREAM)) {
      headers.set(HeaderNames.CONTENT_TYPE_OPTIONS, HeaderNames.NO_SNIFFING);
    }
    if (shutdownGate.isClosing() && !headers.containsHeader(HttpHeaders.CONNECTION)) {
      headers.set(HttpHeaders.CONNECTION, "close");
    }
    MessageCalls.refuse(exchange);
    return Mono.empty();
  }

  private Mono<Void> refuseNew(ServerWebExchange exchange) {
    RequestContext requestContext = RequestContext.of(exchange);
    requestContext
        .endpoint()
        .refused(requestContext.origin(), Cost.NO_TOKENS, 0, shutdownGate.refusal());
    return RefusalWriter.refuse(exchange, requestContext, shutdownGate.refusal());
  }

  private Mono<Void> identified(ServerWebExchange exchange, GatewayFilterChain chain) {
    ServerHttpRequest request = exchange.getRequest();
    String requestId = requestIds.of(request.getHeaders().getFirst(HeaderNames.REQUEST_ID));
    String path = request.getURI().getRawPath();
    String hostile = RawPaths.fault(path);
    if (hostile != null) {
      return refuse(exchange, requestId, RefusalReason.BAD_REQUEST, hostile);
    }
    if (ambiguousLength(request.getHeaders())) {
      return refuse(
          exchange, requestId, RefusalReason.BAD_REQUEST, "the transfer encoding is not chunked");
    }
    String unclearHost = HostRule.fault(request);
    if (unclearHost != null) {
      return refuse(exchange, requestId, RefusalReason.BAD_REQUEST, unclearHost);
    }
    // nothing is created or read for a request that may not come in
    boolean keyRequired = entryCheck.requiresKey();
    Refusal foreign = browsers.refusal(request, keyRequired);
    if (foreign != null) {
      return turnedAway(
          exchange, requestId, addressed(request), new EntryCheck.CheckResult.Rejected(foreign));
    }
    if (CorsUtils.isPreFlightRequest(request)) {
      return browsers.answer(exchange, requestId);
    }
    browsers.share(exchange);
    if (ownPaths != null && ownPaths.serves(path)) {
      EntryCheck.CheckResult result =
          keyRequired ? entryCheck.check(request.getHeaders(), path) : EntryCheck.ANYONE;
      return switch (result) {
        case EntryCheck.CheckResult.Rejected out -> turnedAway(exchange, requestId, null, out);
        case EntryCheck.CheckResult.Admitted(ClientIdentity clientIdentity) ->
            answered(exchange, requestId, clientIdentity, ownPaths);
      };
    }
    Endpoint there = keyRequired && !asksGateway(request) ? registry.find(path) : null;
    EntryCheck.CheckResult result =
        keyRequired
            ? entryCheck.check(request.getHeaders(), request.getURI().getRawQuery(), there, path)
            : EntryCheck.ANYONE;
    return switch (result) {
      case EntryCheck.CheckResult.Rejected out -> turnedAway(exchange, requestId, there, out);
      case EntryCheck.CheckResult.Admitted(ClientIdentity clientIdentity) ->
          letIn(exchange, chain, requestId, clientIdentity);
    };
  }

  /**
   * Returns the endpoint that serves a request, or null where the gateway itself would serve it.
   */
  private @Nullable Endpoint addressed(ServerHttpRequest request) {
    String path = request.getURI().getRawPath();
    boolean own = asksGateway(request) || (ownPaths != null && ownPaths.serves(path));
    return own ? null : registry.find(path);
  }

  /** Returns whether a request asks the gateway about itself or about another request. */
  private boolean asksGateway(ServerHttpRequest request) {
    return status.isStatusRequest(request) || RequestAnswer.isRequestQuestion(request);
  }

  private Mono<Void> answered(
      ServerWebExchange exchange, String requestId, ClientIdentity clientIdentity, OwnPaths own) {
    String of = clientIdentity.caller() == null ? "address " : "key ";
    return shutdownGate.open()
        ? untilRevoked(
            exchange,
            requestId,
            clientIdentity.caller(),
            own.write(exchange, requestId, of + tenant(exchange.getRequest(), clientIdentity)))
        : refuse(exchange, shutdownGate.refusal(), DialectTable.NONE, RefusedCall.of(requestId));
  }

  /** Ends an answer that is not on its way yet once the key of the request is revoked. */
  private Mono<Void> untilRevoked(
      ServerWebExchange exchange, String requestId, @Nullable ApiCaller caller, Mono<Void> answer) {
    if (caller == null) {
      return answer;
    }
    RequestLoop loop = RequestLoop.of(exchange.getRequest());
    Mono<Void> revoked =
        Mono.create(
            sink -> sink.onDispose(caller.account().whenRevoked(cut -> sink.success())::run));
    Mono<Void> refused =
        Mono.defer(
            () -> {
              Refusal refusal = caller.account().revoked();
              return refusal == null || exchange.getResponse().isCommitted()
                  ? Mono.empty()
                  : refuse(exchange, refusal, DialectTable.NONE, RefusedCall.of(requestId));
            });
    return answer.takeUntilOther(loop.handOver(revoked, unwanted -> {})).then(refused);
  }

  private Mono<Void> letIn(
      ServerWebExchange exchange,
      GatewayFilterChain chain,
      String requestId,
      ClientIdentity clientIdentity) {
    ServerHttpRequest request = exchange.getRequest();
    if (status.isStatusRequest(request)) {
      return status.write(exchange, requestId, clientIdentity.caller());
    }
    if (RequestAnswer.isRequestQuestion(request)) {
      return requests.write(exchange, requestId, clientIdentity.caller());
    }
    String path = request.getURI().getRawPath();
    if (RawPaths.blurs(path) && permits(registry.find(path))) {
      return refuse(exchange, requestId, RefusalReason.BAD_REQUEST, BLURRED);
    }
    Endpoint endpoint = registry.enter(path);
    if (endpoint == null) {
      ApiCaller caller = clientIdentity.caller();
      Stream<EndpointSpec> known =
          registry.all().stream()
              .map(Endpoint::spec)
              .filter(spec -> EntryCheck.allows(caller, spec, spec.path()));
      return refuse(
          exchange,
          UnknownPath.refusal(request, known),
          UnknownPath.dialect(request),
          RefusedCall.of(requestId));
    }
    Runnable cut = cutWhenRevoked(request, clientIdentity.caller());
    return Mono.defer(() -> entered(exchange, chain, endpoint, requestId, clientIdentity))
        .doFinally(
            signal -> {
              cut.run();
              endpoint.leave();
            });
  }

  /**
   * Closes the connection, or the stream, of a request once its key is revoked with what runs.
   *
   * @return ends this
   */
  private static Runnable cutWhenRevoked(ServerHttpRequest request, @Nullable ApiCaller caller) {
    if (caller == null) {
      return () -> {};
    }
    Channel channel = ConnectionGuard.channel(request);
    return caller
        .account()
        .whenRevoked(
            cut -> {
              if (cut) {
                var _ = channel.close();
              }
            });
  }

  private Mono<Void> entered(
      ServerWebExchange exchange,
      GatewayFilterChain chain,
      Endpoint endpoint,
      String requestId,
      ClientIdentity clientIdentity) {
    ServerHttpRequest request = exchange.getRequest();
    GatewayParameters parameters =
        GatewayParameters.of(
            request.getURI().getRawQuery(),
            request.getHeaders(),
            endpoint.spec().reading(),
            clientIdentity.caller() == null ? null : clientIdentity.caller().spec().terms().rank(),
            clock);
    HeldBody body = new HeldBody(bodies.claim(tenant(request, clientIdentity)));
    ProviderCall call = ProviderCall.of(endpoint.spec(), request);
    RequestContext requestContext =
        new RequestContext(
            requestId,
            endpoint,
            parameters,
            body,
            clientIdentity,
            call,
            RequestLoop.of(request),
            clock);
    requestContext.attach(exchange);
    boolean made = !requestId.equals(request.getHeaders().getFirst(HeaderNames.REQUEST_ID));
    TrackedRequest tracked = requests.follow(clientIdentity.caller(), requestId, made, endpoint);
    return tracked == null
        ? checked(exchange, chain, requestContext)
        : Mono.defer(() -> checked(exchange, chain, requestContext.follow(tracked)))
            .doFinally(signal -> requests.ended(tracked, status(exchange, signal)));
  }

  /** Returns the status of the answer, or 0 if the client went away before its end. */
  private static int status(ServerWebExchange exchange, SignalType signal) {
    return signal == SignalType.CANCEL ? 0 : RequestContext.status(exchange);
  }

  private Mono<Void> checked(
      ServerWebExchange exchange, GatewayFilterChain chain, RequestContext requestContext) {
    GatewayParameters parameters = requestContext.parameters();
    Endpoint endpoint = requestContext.endpoint();
    if (!parameters.ignored().isEmpty()) {
      ignoredParameters.report(endpoint, parameters.ignored());
    }
    boolean known =
        endpoint.spec().permit() || METHODS.contains(exchange.getRequest().getMethod().name());
    String fault = known ? parameters.fault() : BAD_METHOD;
    Refusal refusal =
        fault == null
            ? ForbiddenCalls.byMethod(endpoint.spec(), exchange.getRequest())
            : Refusal.of(RefusalReason.BAD_REQUEST, fault);
    if (refusal != null) {
      endpoint.refused(requestContext.origin(), Cost.NO_TOKENS, 0, refusal);
      return RefusalWriter.refuse(exchange, requestContext, refusal);
    }
    return chain.filter(exchange);
  }

  /**
   * Returns the tenant that shares one part of the body budget: the key's name, or without keys the
   * address.
   */
  private Object tenant(ServerHttpRequest request, ClientIdentity clientIdentity) {
    return clientIdentity.caller() == null
        ? addresses.of(request)
        : clientIdentity.caller().spec().name();
  }

  /**
   * Refuses a request that may not come in, in the format of the endpoint that would have served
   * it.
   */
  private Mono<Void> turnedAway(
      ServerWebExchange exchange,
      String requestId,
      @Nullable Endpoint there,
      EntryCheck.CheckResult.Rejected rejected) {
    Refusal refusal = rejected.refusal();
    if (there == null) {
      Dialect dialect = UnknownPath.dialect(exchange.getRequest());
      boolean clients = refusal.reason() == RefusalReason.UNAUTHENTICATED;
      return refuse(
          exchange,
          refusal,
          clients ? dialect : DialectTable.NONE,
          new RefusedCall(requestId, null, null, rejected.maskedKey()));
    }
    there.refused(Cost.NO_TOKENS, 0, refusal);
    record(requestId, there.path(), refusal);
    RefusalBody body =
        there.spec().permit()
            ? ProviderProtocol.permitRefusal(refusal, null)
            : ProviderProtocol.of(there.spec().reading().dialect())
                .refusalBody(refusal, new RefusedCall(requestId, null, null, rejected.maskedKey()));
    return RefusalWriter.write(
        exchange, refusal, RetryAdvice.withoutInstant(refusal), body, requestId, there.path());
  }

  private static boolean permits(@Nullable Endpoint endpoint) {
    return endpoint != null && endpoint.spec().permit();
  }

  /**
   * Returns whether servers could disagree about where the body ends, because it has another
   * transfer encoding than chunked.
   */
  private static boolean ambiguousLength(HttpHeaders headers) {
    List<String> encodings = headers.getOrEmpty(HttpHeaders.TRANSFER_ENCODING);
    return encodings.size() > 1
        || (encodings.size() == 1 && !encodings.getFirst().strip().equalsIgnoreCase("chunked"));
  }

  private Mono<Void> refuse(
      ServerWebExchange exchange, String requestId, RefusalReason refusalReason, String detail) {
    return refuse(
        exchange, Refusal.of(refusalReason, detail), DialectTable.NONE, RefusedCall.of(requestId));
  }

  /** Records a refusal that stands in no record of an endpoint. */
  private void record(String requestId, String path, Refusal refusal) {
    String shown = path.substring(0, Math.min(path.length(), LONGEST_PATH));
    registry.tickets().refused(new TicketRequest.Origin(requestId, null, null), shown, refusal);
  }

  /** Refuses a request that has no endpoint. */
  private Mono<Void> refuse(
      ServerWebExchange exchange, Refusal refusal, Dialect dialect, RefusedCall call) {
    record(call.requestId(), exchange.getRequest().getURI().getRawPath(), refusal);
    return RefusalWriter.write(
        exchange,
        refusal,
        RetryAdvice.withoutInstant(refusal),
        ProviderProtocol.of(dialect).refusalBody(refusal, call),
        call.requestId(),
        null);
  }
}
