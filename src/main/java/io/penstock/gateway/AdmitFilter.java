package io.penstock.gateway;

import io.netty.channel.EventLoop;
import io.penstock.endpoint.Ask;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.Outcome;
import io.penstock.endpoint.Pending;
import io.penstock.endpoint.Settlement;
import io.penstock.gateway.body.BodyIntake;
import io.penstock.key.Caller;
import io.penstock.park.Parking;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import io.penstock.wire.ConnectionGuard;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Steps 4 and 5, admit or refuse, and park: the request goes on once all its limits let it. */
final class AdmitFilter implements GlobalFilter, Ordered {
  private static final Refusal NO_MEMORY =
      Refusal.of(Reason.QUEUE_FULL, "the bodies that wait hold all the memory there is for them");

  private final Ticker ticker;
  private final Ties ties;
  private final Allowances allowances;
  private final StrictAfterDenial strict;

  AdmitFilter(Ticker ticker, Ties ties, Allowances allowances, StrictAfterDenial strict) {
    this.ties = ties;
    this.allowances = allowances;
    this.ticker = ticker;
    this.strict = strict;
  }

  @Override
  public int getOrder() {
    return Steps.ADMIT;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    Passage passage = Passage.of(exchange);
    EventLoop loop = ConnectionGuard.channel(exchange.getRequest()).eventLoop();
    Mono<Void> first = strict.before(passage, loop);
    return first == null
        ? admit(exchange, chain, passage, loop)
        : first.then(Mono.defer(() -> admit(exchange, chain, passage, loop)));
  }

  private Mono<Void> admit(
      ServerWebExchange exchange, GatewayFilterChain chain, Passage passage, EventLoop loop) {
    Pending pending = passage.endpoint().submit(ask(exchange.getRequest(), passage));
    passage.trail().submitted(pending);
    if (pending.outcome() == null) {
      park(passage, pending, loop);
      if (passage.endpoint().spec().permit()) {
        BodyIntake.drain(exchange.getRequest());
      }
    }
    Mono<Outcome> outcome = Parking.await(pending, loop);
    Heartbeat heartbeat = pending.outcome() == null ? heartbeat(passage, loop) : null;
    return heartbeat == null
        ? outcome.flatMap(each -> decided(exchange, chain, pending, each))
        : heartbeat.until(
            outcome,
            exchange,
            (later, each) -> decided(later, chain, pending, each),
            () -> passage.endpoint().cancel(pending));
  }

  private static void park(Passage passage, Pending pending, EventLoop loop) {
    if (!passage.body().park(Elsewhere.nextTurn(loop))) {
      pending.refuse(NO_MEMORY);
    }
  }

  /** Returns the heartbeat for a client that waits for a stream, or null when it gets none. */
  static @Nullable Heartbeat heartbeat(Passage passage, EventLoop loop) {
    long nanos = passage.endpoint().spec().waiting().heartbeatNanos();
    byte[] bytes = passage.speech().heartbeat(passage.parameters().query());
    return nanos == 0 || bytes == null || !passage.stream()
        ? null
        : new Heartbeat(bytes, Duration.ofNanos(nanos), Schedulers.fromExecutorService(loop));
  }

  private Ask ask(ServerHttpRequest request, Passage passage) {
    Caller caller = passage.caller();
    return new Ask(
        passage.model(),
        passage.cost(),
        passage.body().size(),
        passage.parameters().patience(),
        passage.parameters().priority(),
        flow(passage, request.getHeaders()),
        ties.of(passage, request),
        caller == null ? null : caller.account(),
        passage.visitor().models(),
        passage.origin());
  }

  private static Ask.Flow flow(Passage passage, HttpHeaders headers) {
    EndpointSpec.FairBy by = passage.endpoint().spec().scheduling().fairBy();
    Caller caller = passage.caller();
    return by instanceof EndpointSpec.FairBy.Key && caller != null
        ? new Ask.Flow(caller.spec().name(), caller.spec().rank().weight())
        : Flows.of(by, headers, passage.user());
  }

  private Mono<Void> decided(
      ServerWebExchange exchange, GatewayFilterChain chain, Pending pending, Outcome outcome) {
    if (!pending.take()) {
      return Mono.empty(); // the client went away first, and everything was returned
    }
    Passage passage = Passage.of(exchange);
    passage.body().unpark();
    return switch (outcome) {
      case Outcome.Refused(Refusal refusal) -> {
        strict.denied(passage, refusal);
        passage.tells(allowances.of(passage, null));
        yield Refuser.refuse(exchange, passage, refusal);
      }
      case Outcome.Granted(Settlement settlement) -> {
        passage.granted(settlement);
        passage.trail().released(settlement);
        passage.tells(allowances.of(passage, settlement));
        // a later step settles the request; should that fail, no charge or permit must remain
        yield Mono.defer(() -> chain.filter(exchange)).doFinally(signal -> abandoned(passage));
      }
    };
  }

  private void abandoned(Passage passage) {
    Objects.requireNonNull(passage.settlement()).abandoned(ticker.nanos());
  }
}
