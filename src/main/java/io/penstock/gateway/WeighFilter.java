package io.penstock.gateway;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.gateway.body.BadUpload;
import io.penstock.gateway.body.BodyBudget;
import io.penstock.gateway.body.BodyIntake;
import io.penstock.gateway.body.BodyIntake.End;
import io.penstock.gateway.body.WatchedUpload;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.Weighed;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.wire.ConnectionGuard;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Step 2, weigh: determines what the request will cost. */
final class WeighFilter implements GlobalFilter, Ordered {
  private final Weighing weighing;
  private final EarlyRefusal early;
  private final BodyBudget bodies;
  private final BodyIntake.Terms terms;

  /** Creates the step; bodies have to come as fast as {@code terms} require. */
  WeighFilter(Weighing weighing, EarlyRefusal early, BodyBudget bodies, BodyIntake.Terms terms) {
    this.weighing = weighing;
    this.early = early;
    this.bodies = bodies;
    this.terms = terms;
  }

  @Override
  public int getOrder() {
    return Steps.WEIGH;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    Passage passage = Passage.of(exchange);
    EndpointSpec spec = passage.endpoint().spec();
    ServerHttpRequest request = exchange.getRequest();
    String below = Paths.decoded(Paths.below(spec, request.getURI().getRawPath()));
    if (!passage.speech().weighs(request.getMethod().name(), below)) {
      passage.weighs(Weighing.unread(spec.reading(), passage.parameters().tokens()));
      return chain.filter(spec.permit() ? exchange : watched(exchange));
    }
    passage.asks(passage.speech().operation(below));
    long most = spec.reading().maxBodyBytes();
    if (request.getHeaders().getContentLength() > most) {
      return refuse(exchange, passage, tooLarge(most));
    }
    Refusal refusal = early.of(passage);
    if (refusal != null) {
      return refuse(exchange, passage, refusal);
    }
    RequestReader reader = passage.speech().requestReader(spec.reading(), below);
    return BodyIntake.read(request, passage.body(), reader, most, terms, () -> gone(passage))
        .flatMap(end -> read(exchange, chain, reader, end))
        .doFinally(signal -> passage.body().free());
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
    Passage passage = Passage.of(exchange);
    return switch (end) {
      case WHOLE -> weighed(exchange, chain, reader.finish());
      case TOO_LARGE ->
          refuse(exchange, passage, tooLarge(passage.endpoint().spec().reading().maxBodyBytes()));
      case LATE -> {
        bodies.countLate();
        yield refuse(exchange, passage, BadUpload.LATE);
      }
      case BROKEN -> {
        gone(passage);
        yield Mono.empty();
      }
    };
  }

  private static void gone(Passage passage) {
    passage.endpoint().gone(passage.cost(), passage.body().size());
  }

  private Mono<Void> weighed(
      ServerWebExchange exchange, GatewayFilterChain chain, Weighed weighed) {
    Passage passage = Passage.of(exchange);
    return switch (weighed) {
      case Weighed.Malformed(String detail) ->
          refuse(exchange, passage, Refusal.of(RefusalReason.BAD_REQUEST, detail));
      case Weighed.Request body -> {
        Weighing.Result result = weighing.atOnce(passage, body);
        yield result == null
            ? later(exchange, body).flatMap(each -> on(exchange, chain, body, each))
            : on(exchange, chain, body, result);
      }
    };
  }

  private Mono<Weighing.Result> later(ServerWebExchange exchange, Weighed.Request body) {
    Passage passage = Passage.of(exchange);
    ServerHttpRequest request = exchange.getRequest();
    return Elsewhere.done(
        weighing.later(passage, body, request),
        ConnectionGuard.channel(request).eventLoop(),
        () -> gone(passage));
  }

  private static Mono<Void> on(
      ServerWebExchange exchange,
      GatewayFilterChain chain,
      Weighed.Request body,
      Weighing.Result result) {
    Passage.of(exchange).weighs(result.cost(), body, result.content());
    return chain.filter(exchange);
  }

  private static Refusal tooLarge(long most) {
    return Refusal.of(RefusalReason.BODY_TOO_LARGE, "the body is larger than " + most + " bytes");
  }

  private static Mono<Void> refuse(ServerWebExchange exchange, Passage passage, Refusal refusal) {
    passage.endpoint().refused(passage.origin(), passage.cost(), passage.body().size(), refusal);
    return Refuser.refuse(exchange, passage, refusal);
  }
}
