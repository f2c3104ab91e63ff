package io.penstock.gateway.admit;

import io.netty.channel.EventLoop;
import io.penstock.dispatch.CacheForecast;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.explain.BindingLimit;
import io.penstock.explain.BindingLimit.Cause;
import io.penstock.gateway.body.BodyIntake;
import io.penstock.gateway.body.HeldBody;
import io.penstock.gateway.request.FilterOrder;
import io.penstock.gateway.request.LimitHeaders;
import io.penstock.gateway.request.PrefixAffinity;
import io.penstock.gateway.request.RefusalWriter;
import io.penstock.gateway.request.RequestContext;
import io.penstock.gateway.request.SocketMessage;
import io.penstock.gateway.request.StreamHeartbeat;
import io.penstock.gateway.request.UpstreamAffinity;
import io.penstock.key.ApiCaller;
import io.penstock.park.TicketParking;
import io.penstock.pool.UpstreamSpec;
import io.penstock.prefix.Boundary;
import io.penstock.prefix.CacheLearner;
import io.penstock.prefix.ContentHash;
import io.penstock.prefix.HashKey;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Steps 4 and 5, admit or refuse, and park: the request goes on once all its limits let it. */
public final class AdmitFilter implements GlobalFilter, Ordered {
  /** The largest body by which a repeat is recognised: about 4 ms of an event loop. */
  private static final long MOST_HASHED_BYTES = 4 << 20;

  private static final Refusal NO_MEMORY =
      Refusal.of(
          RefusalReason.QUEUE_FULL,
          "the bodies that wait, or those of its sender, hold all the memory there is for them");

  private final Ticker ticker;
  private final UpstreamAffinity upstreamAffinity;
  private final LimitHeaders limitHeaders;
  private final HeardCounts heardCounts;
  private final CacheLearner cacheLearner;

  public AdmitFilter(
      Ticker ticker,
      UpstreamAffinity upstreamAffinity,
      LimitHeaders limitHeaders,
      HeardCounts heardCounts,
      CacheLearner cacheLearner) {
    this.cacheLearner = cacheLearner;
    this.upstreamAffinity = upstreamAffinity;
    this.limitHeaders = limitHeaders;
    this.ticker = ticker;
    this.heardCounts = heardCounts;
  }

  @Override
  public int getOrder() {
    return FilterOrder.ADMIT;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    RequestContext requestContext = RequestContext.of(exchange);
    Mono<Void> turn = turn(requestContext);
    if (turn != null && !requestContext.body().park(requestContext.loop().nextTurn())) {
      requestContext
          .endpoint()
          .refused(
              requestContext.origin(),
              requestContext.cost(),
              requestContext.body().size(),
              NO_MEMORY);
      return RefusalWriter.refuse(exchange, requestContext, NO_MEMORY);
    }
    Mono<Void> decision = Mono.defer(() -> decision(exchange, chain, requestContext));
    return turn == null ? decision : turn.then(decision);
  }

  /** Returns a signal for the end of the calls before a message, or null when there are none. */
  private static @Nullable Mono<Void> turn(RequestContext requestContext) {
    SocketMessage message = requestContext.message();
    Mono<Void> turn = message == null ? null : message.turn();
    return turn == null
        ? null
        : requestContext
            .held(() -> BindingLimit.of(Cause.SOCKET_TURN, Ticker.NEVER), turn)
            .doOnCancel(
                () ->
                    requestContext
                        .endpoint()
                        .countCancelled(requestContext.cost(), requestContext.body().size()));
  }

  private Mono<Void> decision(
      ServerWebExchange exchange, GatewayFilterChain chain, RequestContext requestContext) {
    Mono<Void> first = requestContext.call().light() ? null : heardCounts.before(requestContext);
    Mono<Void> admitted = Mono.defer(() -> admit(exchange, chain, requestContext));
    return (first == null
            ? admitted
            : requestContext
                .held(() -> BindingLimit.of(Cause.DENIAL_RECHECK, Ticker.NEVER), first)
                .then(admitted))
        // a later step settles the request; should that fail, no charge or permit must remain
        .doFinally(signal -> requestContext.ends(ticker.nanos()));
  }

  private Mono<Void> admit(
      ServerWebExchange exchange, GatewayFilterChain chain, RequestContext requestContext) {
    EventLoop loop = requestContext.loop().eventLoop();
    Endpoint endpoint = requestContext.endpoint();
    TicketRequest ticketRequest = ask(exchange.getRequest(), requestContext);
    ParkedTicket parkedTicket =
        requestContext.call().light()
            ? endpoint.submitLight(ticketRequest)
            : endpoint.submit(ticketRequest);
    requestContext.submitted(parkedTicket);
    if (parkedTicket.outcome() == null) {
      if (parkedTicket.fingerprint() == null) {
        parkedTicket.fingerprint(fingerprint(exchange.getRequest(), requestContext));
      }
      park(requestContext, parkedTicket);
      if (requestContext.asksPermit()) {
        BodyIntake.drain(exchange.getRequest());
      }
    }
    Mono<TicketOutcome> outcome = TicketParking.await(parkedTicket, loop);
    StreamHeartbeat streamHeartbeat =
        parkedTicket.outcome() == null
            ? StreamHeartbeat.of(requestContext, parkedTicket, 0, loop)
            : null;
    return streamHeartbeat == null
        ? outcome.flatMap(each -> decided(exchange, chain, parkedTicket, each))
        : streamHeartbeat.until(
            outcome, exchange, (later, each) -> decided(later, chain, parkedTicket, each));
  }

  private static void park(RequestContext requestContext, ParkedTicket parkedTicket) {
    if (!requestContext.body().park(requestContext.loop().nextTurn())) {
      parkedTicket.refuse(NO_MEMORY);
    }
  }

  /**
   * Returns a hash by which a repeat of the request is recognised, or null where none takes over a
   * place.
   */
  private static @Nullable Long fingerprint(
      ServerHttpRequest request, RequestContext requestContext) {
    HeldBody body = requestContext.body();
    if (requestContext.endpoint().spec().waiting().placeGraceNanos() == 0
        || !requestContext.call().weighed()
        || body.size() > MOST_HASHED_BYTES) {
      return null;
    }
    ContentHash hash = new ContentHash(HashKey.OF_PROCESS);
    URI uri = request.getURI();
    String target = request.getMethod() + " " + uri.getRawPath() + "?" + uri.getRawQuery() + "\n";
    hash.add(target.getBytes(StandardCharsets.UTF_8));
    body.addTo(hash);
    return hash.value();
  }

  private TicketRequest ask(ServerHttpRequest request, RequestContext requestContext) {
    ApiCaller apiCaller = requestContext.caller();
    TicketRequest.RequestAffinity affinity = upstreamAffinity.of(requestContext, request);
    return new TicketRequest(
        requestContext.model(),
        requestContext.cost(),
        requestContext.body().size(),
        requestContext.parameters().patience(),
        flow(requestContext, request.getHeaders()),
        affinity,
        new TicketRequest.Sender(
            requestContext.origin(),
            requestContext.promiseHolder().sender(),
            requestContext.promiseHolder().session(),
            requestContext.endpoint().mayTakeOver(requestContext.body().tenant())
                ? fingerprint(request, requestContext)
                : null,
            apiCaller == null ? null : apiCaller.account(),
            requestContext.client().models(),
            requestContext.parameters().priority()),
        cacheUse(requestContext, affinity));
  }

  private TicketRequest.CacheUse cacheUse(
      RequestContext requestContext, TicketRequest.RequestAffinity affinity) {
    CacheLearner.Prompt prompt = requestContext.prompt();
    return prompt == null
        ? TicketRequest.CacheUse.NONE
        : new TicketRequest.CacheUse(
            sharedPrefix(requestContext, prompt),
            cacheForecast(requestContext.endpoint().spec(), prompt, affinity));
  }

  /** Returns what predicts anew how much of the prompt is read from a cache, or null. */
  private @Nullable CacheForecast cacheForecast(
      EndpointSpec spec, CacheLearner.Prompt prompt, TicketRequest.RequestAffinity affinity) {
    List<String> upstreams =
        PrefixAffinity.readers(spec, prompt.content().model(), affinity.holder());
    return upstreams.isEmpty()
        ? null
        : (cost, now) -> cacheLearner.expect(cost, prompt, upstreams, now);
  }

  /** Returns the beginning of the prompt for which one request is to warm a cache, or null. */
  private TicketRequest.@Nullable SharedPrefix sharedPrefix(
      RequestContext requestContext, CacheLearner.Prompt prompt) {
    EndpointSpec spec = requestContext.endpoint().spec();
    EndpointSpec.Warmup warmup = spec.forwarding().warmup();
    String model = requestContext.model();
    if (model == null || warmup.holdNanos() == 0 || prompt.prefix().boundaries().isEmpty()) {
      return null;
    }
    List<String> upstreams =
        spec.upstreams().stream().filter(each -> each.serves(model)).map(UpstreamSpec::id).toList();
    Boundary isNew = cacheLearner.shortestNew(prompt, model, upstreams, ticker.nanos());
    return isNew == null
        ? null
        : new TicketRequest.SharedPrefix(
            warmup.perKey() ? prompt.key() : null, isNew.fingerprint(), warmup.holdNanos());
  }

  private static TicketRequest.Flow flow(RequestContext requestContext, HttpHeaders headers) {
    EndpointSpec.FairBy by = requestContext.endpoint().spec().scheduling().fairBy();
    ApiCaller apiCaller = requestContext.caller();
    return by instanceof EndpointSpec.FairBy.Key && apiCaller != null
        ? new TicketRequest.Flow(apiCaller.spec().name(), apiCaller.spec().terms().rank().weight())
        : FairFlows.of(by, headers, requestContext.user());
  }

  private Mono<Void> decided(
      ServerWebExchange exchange,
      GatewayFilterChain chain,
      ParkedTicket parkedTicket,
      TicketOutcome ticketOutcome) {
    if (!parkedTicket.take()) {
      return Mono.empty(); // the client went away first, and everything was returned
    }
    RequestContext requestContext = RequestContext.of(exchange);
    requestContext.body().unpark();
    return switch (ticketOutcome) {
      case TicketOutcome.Refused(Refusal refusal) -> {
        heardCounts.denied(requestContext, refusal);
        requestContext.setLimitHeaders(limitHeaders.of(requestContext, null));
        yield RefusalWriter.refuse(exchange, requestContext, refusal);
      }
      case TicketOutcome.Granted(TicketSettlement ticketSettlement) -> {
        Refusal outdated = requestContext.granted(ticketSettlement, ticker.nanos());
        if (outdated != null) {
          yield RefusalWriter.refuse(exchange, requestContext, outdated);
        }
        requestContext.setLimitHeaders(limitHeaders.of(requestContext, ticketSettlement));
        yield Mono.defer(() -> chain.filter(exchange));
      }
    };
  }
}
