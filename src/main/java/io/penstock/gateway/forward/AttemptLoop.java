package io.penstock.gateway.forward;

import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.gateway.request.LateResponse;
import io.penstock.gateway.request.LimitHeaders;
import io.penstock.gateway.request.RefusalWriter;
import io.penstock.gateway.request.RequestContext;
import io.penstock.gateway.request.StreamHeartbeat;
import io.penstock.gateway.request.TappedResponse;
import io.penstock.gateway.request.UpstreamFailure;
import io.penstock.gateway.request.UsageTap;
import io.penstock.park.TicketParking;
import io.penstock.pool.Addition;
import io.penstock.pool.AttemptAdditions;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.AttemptHistory;
import io.penstock.pool.AttemptVerdict;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.answer.AnswerError;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import io.penstock.wire.ConnectionGuard;
import io.penstock.wire.ConnectionUse;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/**
 * Runs the attempts to get an answer for one request, one after the other. As long as the client
 * has received nothing of an answer, a request that failed or was refused may wait at its old place
 * in the queue and be sent again. Belongs to the event loop of the request.
 */
public final class AttemptLoop {
  /**
   * Services that all requests share.
   *
   * @param addresses addresses of the upstreams
   * @param upstreams all upstreams
   * @param judge decides what becomes of an attempt
   * @param budgets bound the retries
   * @param forwardedHeaders tells upstreams which client asked
   * @param call sends requests over HTTP
   * @param relay serves connections that become WebSockets
   * @param allowances tells clients what is left of limits
   */
  public record Services(
      UpstreamAddress addresses,
      UpstreamRegistry upstreams,
      VerdictSource judge,
      RetryBudgets budgets,
      ForwardedHeaders forwardedHeaders,
      UpstreamCall call,
      WebSocketProxy relay,
      LimitHeaders allowances,
      Ticker ticker) {}

  private static final Refusal NO_URI =
      Refusal.of(RefusalReason.BAD_REQUEST, "the path or query is not a valid URI");

  private final Services services;
  private final RequestContext requestContext;
  private ServerWebExchange exchange;

  /** The upstreams that refused it because of their limits or their load. */
  private final List<String> refusing = new ArrayList<>(0);

  /** The lesson of the head of an answer with a good status. */
  private @Nullable ProviderLesson headLesson;

  /** The upstreams that refused it because of the gateway's account. */
  private final Set<String> withoutAccount = new LinkedHashSet<>(0);

  private int rejected;
  private int broken;

  /**
   * Whether the present attempt was one on trial, which an unhealthy upstream gets one at a time.
   */
  private boolean onTrial;

  /** Whether a connection was lost in an earlier attempt. */
  private boolean lost;

  private final RefusedAdditions refusedAdditions = new RefusedAdditions();

  /** The gateway's additions to the present attempt. */
  private Set<Addition> added = Set.of();

  AttemptLoop(Services services, ServerWebExchange exchange) {
    this.services = services;
    this.exchange = exchange;
    this.requestContext = RequestContext.of(exchange);
  }

  /** Sends the request to the upstream at hand, and handles the result. */
  Mono<Void> next() {
    Upstream upstream = upstream();
    UpstreamSpec spec = upstream.spec();
    onTrial = upstream.health().onTrial();
    URI base = services.addresses().of(spec);
    Set<Addition> withheld =
        refusedAdditions.withheld(spec.id(), upstream.withheld(requestContext.askedModel(), now()));
    requestContext.asksUsage(
        requestContext.spots().asksUsage() != null
            && spec.injectsUsage()
            && !withheld.contains(Addition.STREAM_USAGE));
    requestContext
        .trail()
        .callStarts(spec, base, requestContext.askedModel(), requestContext.operation());
    BodyChanges changes = OutboundChanges.body(requestContext, spec, withheld);
    URI target = OutboundChanges.target(exchange, spec, base);
    if (target == null) {
      return refused(NO_URI);
    }
    tap().attempt();
    services.budgets().of(spec.id()).sent(services.ticker().nanos());
    OutgoingRequest outgoingRequest =
        OutgoingRequest.of(exchange, spec, target, changes, services.forwardedHeaders(), withheld);
    added = outgoingRequest.added();
    Mono<UpstreamAnswer> answer =
        requestContext.message() instanceof MessageCall message
            ? message.run(exchange, outgoingRequest)
            : requestContext.upgrades()
                ? services.relay().run(exchange, spec, outgoingRequest, this::learned)
                : services.call().run(exchange, spec, outgoingRequest, lost, this::learned);
    return requestContext
        .loop()
        .handOver(answer.materialize(), AttemptLoop::unwanted)
        .flatMap(this::decided);
  }

  private static void unwanted(Signal<UpstreamAnswer> result) {
    UpstreamAnswer answer = result.get();
    if (answer != null) {
      answer.drop();
    }
  }

  /** Refuses the request without a call. */
  private Mono<Void> refused(Refusal refusal) {
    settlement().refused(refusal, now());
    return RefusalWriter.refuse(untapped(), requestContext, refusal);
  }

  /**
   * Learns limits from an answer with a good status; its headers are known before the first byte of
   * its body.
   */
  private void learned(int status, HttpHeaders headers) {
    headLesson = lesson(status, headers, new byte[0], false);
  }

  private Mono<Void> decided(Signal<UpstreamAnswer> result) {
    Throwable error = result.getThrowable();
    if (error != null) {
      return failed(error);
    }
    UpstreamAnswer answer = result.get();
    return answer == null ? Mono.empty() : answered(answer);
  }

  private Mono<Void> answered(UpstreamAnswer upstreamAnswer) {
    requestContext.trail().statusReceived(upstreamAnswer.status());
    int status = upstreamAnswer.outcome();
    if (status < UpstreamFailure.LOWEST_ERROR_STATUS) {
      PassingOutcome outcome = new PassingOutcome(upstreamAnswer);
      if (requestContext.weighed()) {
        tap().reportTo(outcome);
      } else {
        outcome.ended(); // its content is not read
      }
      return passed(upstreamAnswer);
    }
    Set<Addition> refused = refusedAdditions(upstreamAnswer);
    ProviderLesson lesson =
        lesson(status, upstreamAnswer.headers(), upstreamAnswer.beginning(), false);
    AttemptVerdict attemptVerdict = judged(lesson, refused);
    if (attemptVerdict == AttemptVerdict.WITHOUT) {
      return without(upstreamAnswer);
    }
    AttemptFailure failure = tap().failedBefore(upstreamAnswer.failed(), status);
    if (attemptVerdict == AttemptVerdict.OTHER_ACCOUNT) {
      return byOtherAccount(upstreamAnswer, lesson, failure);
    }
    ParkedTicket waitingTicket = again(failure, attemptVerdict, !UpstreamAnswer.limited(status));
    return waitingTicket == null
        ? passed(upstreamAnswer)
        : await(upstreamAnswer, String.valueOf(status), waitingTicket);
  }

  /**
   * Records an error, and returns what happens to the request.
   *
   * @param refused the additions that it refuses
   */
  private AttemptVerdict judged(ProviderLesson providerLesson, Set<Addition> refused) {
    int status = providerLesson.status();
    if (UpstreamAnswer.limited(status)) {
      rejected++;
      tap().limited();
    } else if (UpstreamAnswer.failed(status) && refused.isEmpty()) {
      broken++;
    }
    return services.judge().answered(upstream(), tries(false, refused), providerLesson, now());
  }

  /** Judges an answer with a good status while it passes to the client. */
  private final class PassingOutcome implements UsageTap.Outcome {
    private final UpstreamAnswer answer;

    PassingOutcome(UpstreamAnswer answer) {
      this.answer = answer;
    }

    @Override
    public boolean began() {
      // where answers failed lately after they had begun, only their end says that all is well
      if (upstream().doubted()) {
        return false;
      }
      ended();
      return true;
    }

    @Override
    public void ended() {
      ProviderLesson providerLesson =
          Objects.requireNonNullElseGet(headLesson, () -> ProviderLesson.silent(answer.status()));
      services.judge().answered(upstream(), tries(), providerLesson, now());
    }

    @Override
    public void failed(AnswerError error) {
      upstream().doubt();
      judged(lesson(error.status(), answer.headers(), error.body(), true), Set.of());
    }
  }

  /** Returns the additions that an error refuses, if the request can go without them. */
  private Set<Addition> refusedAdditions(UpstreamAnswer error) {
    return RefusedAdditions.may(error.outcome())
            && requestContext.repeatable()
            && !requestContext.upgrades()
        ? refusedAdditions.note(upstream().spec().id(), added, error.outcome(), error.beginning())
        : Set.of();
  }

  /**
   * Sends the request to another upstream, or tells the client that the gateway's account is
   * refused. It does not count against the retry budget: a call that is refused so is no work.
   */
  private Mono<Void> byOtherAccount(
      UpstreamAnswer refused, ProviderLesson lesson, AttemptFailure failure) {
    String id = upstream().spec().id();
    tap().complain(id, "the account is refused: " + lesson.said());
    boolean first = withoutAccount.add(id);
    boolean goes = first && requestContext.repeatable() && !settlement().isBound();
    boolean otherModel = goes && !anyHealthy(false);
    ParkedTicket waitingTicket =
        goes && anyHealthy(otherModel)
            ? settlement().retry(failure, withoutAccount, otherModel, now())
            : null;
    if (waitingTicket != null) {
      return await(refused, String.valueOf(lesson.status()), waitingTicket);
    }
    refused.drop();
    Refusal refusal = Refusal.ofAccount(lesson.said());
    tap().refusedInstead(refusal, lesson.status());
    return RefusalWriter.refuse(untapped(), requestContext, refusal);
  }

  /**
   * Repeats the request without the additions that the upstream refused. The repeat is one more
   * call, which has to wait for the upstream's limits like any other.
   */
  private Mono<Void> without(UpstreamAnswer refusal) {
    ParkedTicket waitingTicket = settlement().repeat(now());
    if (waitingTicket == null) {
      refusal.drop();
      return next();
    }
    return await(refusal, String.valueOf(refusal.outcome()), waitingTicket);
  }

  private Mono<Void> await(UpstreamAnswer dropped, String error, ParkedTicket waitingTicket) {
    tap().missed(error);
    dropped.drop();
    return await(waitingTicket);
  }

  /** Passes the answer on. The request's body is freed because it will not be sent again. */
  private Mono<Void> passed(UpstreamAnswer upstreamAnswer) {
    requestContext.body().free();
    return upstreamAnswer.pass(exchange);
  }

  private Mono<Void> failed(Throwable error) {
    if (error instanceof WebSocketsFull full) {
      return refused(full.refusal());
    }
    UpstreamFailure failure = UpstreamFailure.of(error);
    if (failure == null || !ConnectionGuard.alive(exchange.getRequest())) {
      return Mono.error(error);
    }
    if (requestContext.message() != null
        || error instanceof ConnectionUse.ClosedWhileIdle
        || error instanceof TooLongHttpHeaderException) {
      return Mono.error(error); // the upstream may be well, but a repeat would not help
    }
    broken++;
    lost = true;
    AttemptFailure kind = failure.sent() ? AttemptFailure.BROKEN : AttemptFailure.UNSENT;
    UpstreamSpec spec = upstream().spec();
    String cause = failure.of(spec);
    AttemptVerdict attemptVerdict =
        services
            .judge()
            .failed(upstream(), tries(failure.timedOut(), Set.of()), kind, cause, now());
    ParkedTicket waitingTicket =
        again(kind, attemptVerdict, failure.refusal().reason() == RefusalReason.UPSTREAM_TIMEOUT);
    if (waitingTicket == null) {
      return Mono.error(error);
    }
    tap().missed(failure.refusal().reason().code());
    tap().complain(spec.id(), cause);
    return await(waitingTicket);
  }

  /**
   * Queues the request again at its old place, if the verdict asks for that and it is allowed.
   *
   * @param budgeted whether a retry at another upstream counts against the retry budget, because it
   *     is more work for upstreams that have too much already. Connections that were lost or could
   *     not be made do not count: each of the requests that were lost with an upstream is sent at
   *     most once more, and has to pass all limits again. Neither do trials, which are few
   * @return the ticket that waits, or null
   */
  private @Nullable ParkedTicket again(
      AttemptFailure attemptFailure, AttemptVerdict attemptVerdict, boolean budgeted) {
    boolean goes =
        attemptVerdict == AttemptVerdict.WAIT || attemptVerdict == AttemptVerdict.ELSEWHERE;
    if (!goes || !requestContext.repeatable() || (broken > 1 && !anyHealthy(true))) {
      return null;
    }
    long now = now();
    boolean toOtherUpstream = attemptVerdict == AttemptVerdict.ELSEWHERE;
    boolean counts = toOtherUpstream && budgeted && !onTrial;
    if (counts && !services.budgets().of(upstream().spec().id()).retry(now)) {
      return null;
    }
    Set<String> avoided = new LinkedHashSet<>(withoutAccount);
    if (toOtherUpstream) {
      avoided.add(upstream().spec().id());
    }
    return settlement().retry(attemptFailure, avoided, false, now);
  }

  /**
   * Returns whether any upstream for the request is healthy, those left out that refused it because
   * of the gateway's account. A request that failed twice is not kept waiting for one that is to
   * become healthy: its client had better learn the cause.
   *
   * @param withFallbacks whether those of fallback models count, too
   */
  private boolean anyHealthy(boolean withFallbacks) {
    long now = now();
    EndpointSpec endpoint = requestContext.endpoint().spec();
    String model = requestContext.model();
    boolean any =
        withFallbacks && model != null && endpoint.forwarding().fallbacks().containsKey(model);
    for (UpstreamSpec each : endpoint.upstreams()) {
      boolean serves = (any || each.serves(model)) && !withoutAccount.contains(each.id());
      Upstream known = serves ? services.upstreams().find(each.id()) : null;
      if (known != null && known.readiness(null, now).soon(now)) {
        return true;
      }
    }
    return false;
  }

  private Mono<Void> await(ParkedTicket waitingTicket) {
    EventLoop loop = requestContext.loop().eventLoop();
    requestContext.body().detach(requestContext.loop().nextTurn());
    requestContext.submitted(waitingTicket);
    Mono<TicketOutcome> outcome = TicketParking.await(waitingTicket, loop);
    StreamHeartbeat streamHeartbeat =
        waitingTicket.outcome() == null
            ? StreamHeartbeat.of(
                requestContext, waitingTicket, now() - waitingTicket.arrivedNanos(), loop)
            : null;
    if (streamHeartbeat == null) {
      return outcome.flatMap(each -> released(waitingTicket, each));
    }
    LateResponse late = requestContext.late();
    return late != null
        ? late.beat(streamHeartbeat, outcome).flatMap(each -> released(waitingTicket, each))
        : streamHeartbeat.until(
            outcome, untapped(), (later, each) -> releasedLater(later, waitingTicket, each));
  }

  private Mono<Void> released(ParkedTicket waitingTicket, TicketOutcome ticketOutcome) {
    if (!waitingTicket.take()) {
      return Mono.empty(); // the client went away first, and everything was returned
    }
    return switch (ticketOutcome) {
      case TicketOutcome.Refused(Refusal refusal) ->
          RefusalWriter.refuse(untapped(), requestContext, refusal);
      case TicketOutcome.Granted(TicketSettlement ticketSettlement) -> {
        Refusal outdated = requestContext.granted(ticketSettlement, now());
        if (outdated != null) {
          yield RefusalWriter.refuse(untapped(), requestContext, outdated);
        }
        requestContext.setLimitHeaders(services.allowances().of(requestContext, ticketSettlement));
        yield next();
      }
    };
  }

  /**
   * Goes on in an answer that heartbeats may have begun meanwhile; a failure then has to be written
   * into that answer.
   */
  private Mono<Void> releasedLater(
      ServerWebExchange later, ParkedTicket waitingTicket, TicketOutcome ticketOutcome) {
    LateResponse late = requestContext.late();
    if (late == null) {
      return released(waitingTicket, ticketOutcome);
    }
    UsageTap usageTap = tap();
    TappedResponse tapped = requestContext.tapped().over(late);
    requestContext.tapped(tapped);
    exchange = exchange.mutate().response(tapped).build();
    return released(waitingTicket, ticketOutcome)
        .onErrorResume(error -> SettleFilter.answered(later, usageTap, error));
  }

  /**
   * Returns what an answer teaches; the limits that it is about have learned it by then.
   *
   * @param late whether the headers came some time ago, and taught what they say then
   */
  private ProviderLesson lesson(int status, HttpHeaders headers, byte[] body, boolean late) {
    ProviderLesson providerLesson =
        requestContext.upstreamProtocol().lesson(status, headers::get, body);
    boolean news = !late || providerLesson.statuses().isEmpty();
    if (upstream().teaches(tries(), providerLesson, now()) && news) {
      settlement().learn(providerLesson, refusing.contains(upstream().spec().id()), now());
    }
    if (UpstreamAnswer.limited(status)) {
      refusing.add(upstream().spec().id());
    }
    if (providerLesson.oddity() != null) {
      tap().complain(upstream().spec().id(), providerLesson.oddity());
    }
    return providerLesson;
  }

  private AttemptHistory tries() {
    return tries(false, Set.of());
  }

  private AttemptHistory tries(boolean timedOut, Set<Addition> refused) {
    Set<Addition> without = refusedAdditions.at(upstream().spec().id());
    return new AttemptHistory(
        requestContext.askedModel(),
        rejected,
        broken,
        requestContext.repeatable(),
        refused.isEmpty() && without.isEmpty()
            ? AttemptAdditions.NONE
            : new AttemptAdditions(refused, without),
        requestContext.body().tenant(),
        requestContext.upgrades(),
        timedOut,
        ownCredentials());
  }

  private boolean ownCredentials() {
    return OutgoingRequest.passthrough(requestContext, upstream().spec());
  }

  private long now() {
    return services.ticker().nanos();
  }

  private TicketSettlement settlement() {
    return Objects.requireNonNull(requestContext.settlement());
  }

  private Upstream upstream() {
    return Objects.requireNonNull(settlement().upstream());
  }

  private UsageTap tap() {
    return requestContext.tapped().tap();
  }

  private ServerWebExchange untapped() {
    return exchange.mutate().response(requestContext.tapped().getDelegate()).build();
  }
}
