package io.penstock.gateway.admit;

import io.penstock.cost.Cost;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.gateway.body.BadUpload;
import io.penstock.gateway.request.FilterOrder;
import io.penstock.gateway.request.ForbiddenCalls;
import io.penstock.gateway.request.GatewayHeaders;
import io.penstock.gateway.request.MessageCalls;
import io.penstock.gateway.request.OpenWebSockets;
import io.penstock.gateway.request.ProviderCall;
import io.penstock.gateway.request.RefusalWriter;
import io.penstock.gateway.request.RequestContext;
import io.penstock.gateway.request.SocketMessage;
import io.penstock.key.ApiCaller;
import io.penstock.key.KeyRegistry;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.ModelList;
import io.penstock.provider.ProviderProtocol;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.tenant.PromiseHolder;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Answers requests that need not wait: refuses models that the key may not use, and, if the body is
 * not read, calls that do not pass, uploads that are too large and upgrades that the endpoint does
 * not allow; and answers the questions which models there are, and whether there is a certain one.
 */
public final class ScreenFilter implements GlobalFilter, Ordered {
  private static final Refusal NO_UPGRADES =
      Refusal.of(RefusalReason.UPGRADE_REFUSED, "the endpoint passes no upgrades on");

  private static final Refusal NOT_A_CALL =
      Refusal.of(
          RefusalReason.BAD_REQUEST, "the message has another type than response.create, or none");

  private static final Refusal NO_MODEL =
      Refusal.of(
          RefusalReason.NO_UPSTREAM_FOR_MODEL,
          "no upstream of this endpoint serves the model to this client");

  private final OpenWebSockets webSockets;
  private final KeyRegistry keys;
  private final Ticker ticker;

  public ScreenFilter(OpenWebSockets webSockets, KeyRegistry keys, Ticker ticker) {
    this.webSockets = webSockets;
    this.keys = keys;
    this.ticker = ticker;
  }

  @Override
  public int getOrder() {
    return FilterOrder.SCREEN;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    RequestContext requestContext = RequestContext.of(exchange);
    EndpointSpec spec = requestContext.endpoint().spec();
    ServerHttpRequest request = exchange.getRequest();
    if (ModelScope.forbids(requestContext, request)) {
      return refuse(exchange, requestContext, ModelScope.FORBIDDEN);
    }
    Refusal further = FurtherModelScope.refusal(requestContext);
    if (further != null) {
      return refuse(exchange, requestContext, further);
    }
    SocketMessage message = requestContext.message();
    if (message != null && !message.creates()) {
      return refuse(exchange, requestContext, NOT_A_CALL);
    }
    if (requestContext.weighed() || spec.permit()) {
      return chain.filter(exchange);
    }
    ProviderCall ofMessages = MessageCalls.of(spec, request);
    Refusal forbidden =
        ofMessages == null
            ? ForbiddenCalls.of(requestContext)
            : ForbiddenCalls.of(requestContext, ofMessages);
    if (MessageCalls.asksForWebSocket(request)) {
      if (forbidden != null) {
        return refuse(exchange, requestContext, forbidden);
      }
      if (!spec.forwarding().upgrades()) {
        return refuse(exchange, requestContext, NO_UPGRADES);
      }
      Refusal uncounted = ofMessages == null ? uncounted(requestContext) : null;
      if (uncounted != null) {
        return refuse(exchange, requestContext, uncounted);
      }
      Refusal full = webSockets.refusal(requestContext.body().tenant());
      if (full != null) {
        return refuse(exchange, requestContext, full);
      }
      requestContext.upgrading();
      return chain.filter(exchange);
    }
    long most = spec.reading().maxUploadBytes();
    if (request.getHeaders().getContentLength() > most) {
      return refuse(exchange, requestContext, BadUpload.refusal(most));
    }
    Refusal used = forbidden == null && !spec.shadow() ? takeLight(requestContext) : null;
    if (used != null) {
      return refuse(exchange, requestContext, used);
    }
    String path = requestContext.call().path();
    ProviderProtocol protocol = requestContext.upstreamProtocol();
    String method = request.getMethod().name();
    boolean known = named(spec) || requestContext.client().models() != null;
    if (protocol.listsModels(method, path)) {
      return known
          ? answer(
              exchange, requestContext, ModelList.of(protocol, List.copyOf(names(requestContext))))
          : passed(exchange, chain, forbidden);
    }
    String model = protocol.describedModel(method, path);
    if (model == null) {
      return passed(exchange, chain, forbidden);
    }
    if (names(requestContext).contains(model)) {
      return answer(exchange, requestContext, ModelList.of(protocol, model));
    }
    if (!known) {
      return passed(exchange, chain, forbidden); // an upstream that takes any model may know it
    }
    requestContext.describes(model);
    return refuse(exchange, requestContext, NO_MODEL);
  }

  /**
   * Returns the refusal of a WebSocket with messages that nobody weighs, and with answers that do
   * not state what they used, where tokens are limited; else null.
   */
  private static @Nullable Refusal uncounted(RequestContext requestContext) {
    boolean stated =
        requestContext.upstreamProtocol().sessionUsage() != null
            || !requestContext.cost().equals(Cost.NO_TOKENS);
    String owner =
        stated ? null : ForbiddenCalls.ownerOfTokenLimit(requestContext, requestContext.caller());
    return owner == null
        ? null
        : Refusal.of(
            RefusalReason.UPGRADE_REFUSED,
            "nobody can count the tokens of this WebSocket, and "
                + owner
                + " has a limit of tokens here; make the calls over HTTP");
  }

  /** Takes a call that costs nothing from the limit on such calls; returns its refusal, or null. */
  private @Nullable Refusal takeLight(RequestContext requestContext) {
    if (!requestContext.call().light()) {
      return null;
    }
    ApiCaller caller = requestContext.caller();
    PromiseHolder client = requestContext.promiseHolder();
    return caller == null
        ? requestContext.endpoint().takeLight(client)
        : keys.takeLight(caller.spec(), client, ticker.nanos());
  }

  private static Mono<Void> passed(
      ServerWebExchange exchange, GatewayFilterChain chain, @Nullable Refusal forbidden) {
    return forbidden == null
        ? chain.filter(exchange)
        : refuse(exchange, RequestContext.of(exchange), forbidden);
  }

  private static Mono<Void> refuse(
      ServerWebExchange exchange, RequestContext requestContext, Refusal refusal) {
    requestContext
        .endpoint()
        .refused(
            requestContext.origin(), requestContext.cost(), requestContext.body().size(), refusal);
    return RefusalWriter.refuse(exchange, requestContext, refusal);
  }

  /** Returns whether all models are known, which is not so if an enabled upstream takes any. */
  private static boolean named(EndpointSpec spec) {
    return spec.upstreams().stream().filter(ScreenFilter::enabled).noneMatch(ScreenFilter::any);
  }

  private static boolean enabled(UpstreamSpec upstream) {
    return upstream.access().disabledBecause() == null;
  }

  private static boolean any(UpstreamSpec upstream) {
    return upstream.models().isEmpty();
  }

  /** Returns the models that the client may use, as far as they are known. */
  private static SortedSet<String> names(RequestContext requestContext) {
    EndpointSpec spec = requestContext.endpoint().spec();
    Set<String> allowed = requestContext.client().models();
    SortedSet<String> names = new TreeSet<>();
    spec.upstreams().stream()
        .filter(ScreenFilter::enabled)
        .forEach(upstream -> names.addAll(upstream.models().keySet()));
    if (allowed != null && named(spec)) {
      names.retainAll(allowed);
    } else if (allowed != null) {
      names.addAll(allowed); // an upstream takes any
      names.retainAll(allowed);
    }
    return names;
  }

  private static Mono<Void> answer(
      ServerWebExchange exchange, RequestContext requestContext, byte[] body) {
    ServerHttpResponse response = exchange.getResponse();
    response.setStatusCode(HttpStatus.OK);
    HttpHeaders headers = response.getHeaders();
    headers.setContentType(MediaType.APPLICATION_JSON);
    headers.setContentLength(body.length);
    GatewayHeaders.write(headers, requestContext);
    return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
  }
}
