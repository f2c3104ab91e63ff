package io.penstock.gateway.forward;

import io.penstock.gateway.body.BadUpload;
import io.penstock.gateway.request.AnswerLearning;
import io.penstock.gateway.request.ClientGone;
import io.penstock.gateway.request.FilterOrder;
import io.penstock.gateway.request.RefusalWriter;
import io.penstock.gateway.request.RequestContext;
import io.penstock.gateway.request.TappedResponse;
import io.penstock.gateway.request.UpstreamComplaints;
import io.penstock.gateway.request.UpstreamFailure;
import io.penstock.gateway.request.UsageTap;
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
public final class SettleFilter implements GlobalFilter, Ordered {
  private final Ticker ticker;
  private final UpstreamComplaints complaints;
  private final AnswerLearning answerLearning;

  public SettleFilter(Ticker ticker, AnswerLearning answerLearning) {
    this.ticker = ticker;
    this.complaints = new UpstreamComplaints(ticker);
    this.answerLearning = answerLearning;
  }

  @Override
  public int getOrder() {
    return FilterOrder.SETTLE;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    RequestContext requestContext = RequestContext.of(exchange);
    UsageTap usageTap = new UsageTap(requestContext, ticker, complaints, answerLearning);
    TappedResponse response = new TappedResponse(exchange.getResponse(), usageTap);
    requestContext.tapped(response);
    // The tap learns of each end before any subscriber downstream, which doFinally would not
    // ensure: the code that returns charges that were never settled has to come after it. If the
    // answer's own stream has settled the request, this has no effect.
    return chain
        .filter(exchange.mutate().response(response).build())
        .onErrorResume(error -> answered(exchange, usageTap, error))
        .doOnSuccess(done -> usageTap.ends(SignalType.ON_COMPLETE))
        .doOnCancel(usageTap::abandoned);
  }

  /**
   * Answers a request that failed, if the client is still there and no answer was begun.
   *
   * @param exchange the exchange, with a response that is not tapped
   */
  static Mono<Void> answered(ServerWebExchange exchange, UsageTap usageTap, Throwable error) {
    if (error instanceof ClientGone || !ConnectionGuard.alive(exchange.getRequest())) {
      usageTap.abandoned();
      return Mono.empty();
    }
    if (error instanceof BadUpload bad) {
      usageTap.refused(bad.refusal());
      return exchange.getResponse().isCommitted()
          ? ConnectionGuard.cut(exchange.getRequest())
          : RefusalWriter.refuse(exchange, usageTap.requestContext(), bad.refusal());
    }
    UpstreamFailure failure = UpstreamFailure.of(error);
    if (failure == null) {
      usageTap.ends(SignalType.ON_ERROR);
      return Mono.error(error);
    }
    if (exchange.getResponse().isCommitted()) {
      usageTap.failed(failure);
      return usageTap.requestContext().message() == null
          ? ConnectionGuard.cut(exchange.getRequest())
          : Mono.empty(); // the WebSocket is closed with a status
    }
    return RefusalWriter.refuse(exchange, usageTap.requestContext(), usageTap.failed(failure));
  }
}
