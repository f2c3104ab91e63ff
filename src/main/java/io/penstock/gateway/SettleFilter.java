package io.penstock.gateway;

import io.penstock.gateway.body.BadUpload;
import io.penstock.time.Ticker;
import io.penstock.wire.ConnectionGuard;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/**
 * Step 7, settle: reads the usage while the answer's bytes pass, and settles the request once,
 * whatever happens.
 */
final class SettleFilter implements GlobalFilter, Ordered {
  private final Ticker ticker;
  private final Complaints complaints;
  private final Experience experience;

  SettleFilter(Ticker ticker, Experience experience) {
    this.ticker = ticker;
    this.complaints = new Complaints(ticker);
    this.experience = experience;
  }

  @Override
  public int getOrder() {
    return Steps.SETTLE;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    Passage passage = Passage.of(exchange);
    Tap tap = new Tap(passage, ticker, complaints, experience);
    TappedResponse response = new TappedResponse(exchange.getResponse(), tap);
    // The tap learns of each end before any subscriber downstream, which doFinally would not
    // ensure: the code that returns charges that were never settled has to come after it. If the
    // answer's own stream has settled the request, this has no effect.
    return chain
        .filter(exchange.mutate().response(response).build())
        .onErrorResume(error -> answered(exchange, tap, error))
        .doOnSuccess(done -> tap.ends(SignalType.ON_COMPLETE))
        .doOnCancel(tap::abandoned)
        .contextWrite(context -> context.put(Passage.class, passage));
  }

  /**
   * Answers a request that failed, if the client is still there and no answer was begun.
   *
   * @param exchange the exchange, with a response that is not tapped
   */
  static Mono<Void> answered(ServerWebExchange exchange, Tap tap, Throwable error) {
    if (error instanceof ClientGone || !ConnectionGuard.alive(exchange.getRequest())) {
      tap.abandoned();
      return Mono.empty();
    }
    if (error instanceof BadUpload bad) {
      tap.refused(bad.refusal());
      return exchange.getResponse().isCommitted()
          ? ConnectionGuard.cut(exchange.getRequest())
          : Refuser.refuse(exchange, tap.passage(), bad.refusal());
    }
    UpstreamFailure failure = UpstreamFailure.of(error);
    if (failure == null) {
      tap.ends(SignalType.ON_ERROR);
      return Mono.error(error);
    }
    if (exchange.getResponse().isCommitted()) {
      tap.failed(failure);
      return ConnectionGuard.cut(exchange.getRequest());
    }
    return Refuser.refuse(exchange, tap.passage(), tap.failed(failure));
  }
}
