package io.penstock.gateway;

import io.netty.channel.EventLoop;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.ParkedTicket;
import io.penstock.endpoint.TicketOutcome;
import io.penstock.endpoint.TicketRequest;
import io.penstock.endpoint.TicketSettlement;
import io.penstock.gateway.body.BodyIntake;
import io.penstock.key.ApiCaller;
import io.penstock.park.Parking;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
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
      Refusal.of(
          RefusalReason.QUEUE_FULL, "the bodies that wait hold all the memory there is for them");

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
    ParkedTicket parkedTicket = passage.endpoint().submit(ask(exchange.getRequest(), passage));
    passage.trail().submitted(parkedTicket);
    if (parkedTicket.outcome() == null) {
      park(passage, parkedTicket, loop);
      if (passage.endpoint().spec().permit()) {
        BodyIntake.drain(exchange.getRequest());
      }
    }
    Mono<TicketOutcome> outcome = Parking.await(parkedTicket, loop);
    Heartbeat heartbeat = parkedTicket.outcome() == null ? heartbeat(passage, loop) : null;
    return heartbeat == null
        ? outcome.flatMap(each -> decided(exchange, chain, parkedTicket, each))
        : heartbeat.until(
            outcome,
            exchange,
            (later, each) -> decided(later, chain, parkedTicket, each),
            () -> passage.endpoint().cancel(parkedTicket));
  }

  private static void park(Passage passage, ParkedTicket parkedTicket, EventLoop loop) {
    if (!passage.body().park(Elsewhere.nextTurn(loop))) {
      parkedTicket.refuse(NO_MEMORY);
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

  private TicketRequest ask(ServerHttpRequest request, Passage passage) {
    ApiCaller apiCaller = passage.caller();
    return new TicketRequest(
        passage.model(),
        passage.cost(),
        passage.body().size(),
        passage.parameters().patience(),
        passage.parameters().priority(),
        flow(passage, request.getHeaders()),
        ties.of(passage, request),
        apiCaller == null ? null : apiCaller.account(),
        passage.visitor().models(),
        passage.origin());
  }

  private static TicketRequest.Flow flow(Passage passage, HttpHeaders headers) {
    EndpointSpec.FairBy by = passage.endpoint().spec().scheduling().fairBy();
    ApiCaller apiCaller = passage.caller();
    return by instanceof EndpointSpec.FairBy.Key && apiCaller != null
        ? new TicketRequest.Flow(apiCaller.spec().name(), apiCaller.spec().rank().weight())
        : Flows.of(by, headers, passage.user());
  }

  private Mono<Void> decided(
      ServerWebExchange exchange,
      GatewayFilterChain chain,
      ParkedTicket parkedTicket,
      TicketOutcome ticketOutcome) {
    if (!parkedTicket.take()) {
      return Mono.empty(); // the client went away first, and everything was returned
    }
    Passage passage = Passage.of(exchange);
    passage.body().unpark();
    return switch (ticketOutcome) {
      case TicketOutcome.Refused(Refusal refusal) -> {
        strict.denied(passage, refusal);
        passage.tells(allowances.of(passage, null));
        yield Refuser.refuse(exchange, passage, refusal);
      }
      case TicketOutcome.Granted(TicketSettlement ticketSettlement) -> {
        passage.granted(ticketSettlement);
        passage.trail().released(ticketSettlement);
        passage.tells(allowances.of(passage, ticketSettlement));
        // a later step settles the request; should that fail, no charge or permit must remain
        yield Mono.defer(() -> chain.filter(exchange)).doFinally(signal -> abandoned(passage));
      }
    };
  }

  private void abandoned(Passage passage) {
    Objects.requireNonNull(passage.settlement()).abandoned(ticker.nanos());
  }
}
