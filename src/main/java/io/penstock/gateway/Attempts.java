package io.penstock.gateway;

import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.endpoint.Outcome;
import io.penstock.endpoint.Pending;
import io.penstock.endpoint.Settlement;
import io.penstock.json.Edit;
import io.penstock.park.Parking;
import io.penstock.pool.Failure;
import io.penstock.pool.Lesson;
import io.penstock.pool.Tries;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.Verdict;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import io.penstock.wire.ConnectionGuard;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Runs the attempts to get an answer for one request, one after the other. As long as the client
 * has received nothing of an answer, a request that failed or was refused may wait at its old place
 * in the queue and be sent again. Belongs to the event loop of the request.
 */
final class Attempts {
  /**
   * Services that all requests share.
   *
   * @param addresses addresses of the upstreams
   * @param judge decides what becomes of an attempt
   * @param budgets bound the retries
   * @param origin tells upstreams which client asked
   * @param call sends requests over HTTP
   * @param relay serves connections that become WebSockets
   * @param allowances tells clients what is left of limits
   */
  record House(
      UpstreamAddress addresses,
      Judge judge,
      RetryBudgets budgets,
      ForwardedHeaders origin,
      UpstreamCall call,
      Relay relay,
      Allowances allowances,
      Ticker ticker) {}

  /** Result of an attempt. */
  private sealed interface Came {
    record Answered(Answer answer) implements Came {}

    record Failed(Throwable error) implements Came {}
  }

  private static final Refusal NO_URI =
      Refusal.of(Reason.BAD_REQUEST, "the path or query is not a valid URI");

  private final House house;
  private final Passage passage;
  private ServerWebExchange exchange;
  private int rejected;
  private int broken;
  private boolean withoutUsage;

  Attempts(House house, ServerWebExchange exchange) {
    this.house = house;
    this.exchange = exchange;
    this.passage = Passage.of(exchange);
  }

  /** Sends the request to the upstream at hand, and handles the result. */
  Mono<Void> next() {
    Upstream upstream = upstream();
    UpstreamSpec spec = upstream.spec();
    URI base = house.addresses().of(spec);
    passage.asksUsage(asksUsage(upstream));
    passage.trail().calls(spec, base, passage.askedModel(), passage.operation());
    List<Edit> edits = Outbound.edits(passage, spec, passage.asksUsage());
    URI target = Outbound.target(exchange, spec, base);
    if (target == null) {
      settlement().refused(NO_URI, house.ticker().nanos());
      return Refuser.refuse(untapped(), passage, NO_URI);
    }
    house.budgets().of(spec.id()).sent(house.ticker().nanos());
    OutgoingRequest asks = OutgoingRequest.of(exchange, spec, target, edits, house.origin());
    Mono<Answer> answer =
        passage.upgrades()
            ? house.relay().run(exchange, spec, asks)
            : house.call().run(exchange, spec, asks, this::learned);
    return answer
        .<Came>map(Came.Answered::new)
        .onErrorResume(error -> Mono.just(new Came.Failed(error)))
        .flatMap(this::decided);
  }

  private boolean asksUsage(Upstream upstream) {
    return passage.spots().asksUsage() != null
        && !withoutUsage
        && upstream.injectsUsage(passage.askedModel(), now());
  }

  /**
   * Learns from an answer that is no error; its headers are known before the first byte of its
   * body.
   */
  private void learned(int status, HttpHeaders headers) {
    house.judge().answered(upstream(), tries(), lesson(status, headers, new byte[0]), now());
  }

  private Mono<Void> decided(Came came) {
    return switch (came) {
      case Came.Answered(Answer answer) -> answered(answer);
      case Came.Failed(Throwable error) -> failed(error);
    };
  }

  private Mono<Void> answered(Answer answer) {
    int status = answer.status();
    passage.trail().answers(status);
    if (status < Answer.ERRORS) {
      return passed(answer);
    }
    boolean limited = Answer.limited(status);
    if (limited) {
      rejected++;
    } else if (Answer.failed(status)) {
      broken++;
    }
    Lesson lesson = lesson(status, answer.headers(), answer.beginning());
    Verdict verdict = house.judge().answered(upstream(), tries(), lesson, now());
    if (verdict == Verdict.WITHOUT_USAGE) {
      withoutUsage = true;
      answer.drop();
      return next();
    }
    Pending waits = again(limited ? Failure.REJECTED : Failure.BROKEN, verdict, !limited);
    if (waits == null) {
      return passed(answer);
    }
    tap().missed(String.valueOf(status));
    answer.drop();
    return await(waits);
  }

  /** Passes the answer on. The request's body is freed because it will not be sent again. */
  private Mono<Void> passed(Answer answer) {
    passage.body().free();
    return answer.pass(exchange);
  }

  private Mono<Void> failed(Throwable error) {
    UpstreamFailure failure = UpstreamFailure.of(error);
    if (failure == null || !ConnectionGuard.alive(exchange.getRequest())) {
      return Mono.error(error);
    }
    broken++;
    Failure kind = failure.sent() ? Failure.BROKEN : Failure.UNSENT;
    Verdict verdict = house.judge().failed(upstream(), tries(), kind, now());
    String upstream = upstream().spec().id();
    Pending waits = again(kind, verdict, failure.refusal().reason() == Reason.UPSTREAM_TIMEOUT);
    if (waits == null) {
      return Mono.error(error);
    }
    tap().missed(failure.refusal().reason().code());
    tap().complain(upstream, failure.refusal().detail());
    return await(waits);
  }

  /**
   * Queues the request again at its old place, if the verdict asks for that and it is allowed.
   *
   * @param budgeted whether a retry at another upstream counts against the retry budget, because it
   *     is more work for upstreams that have too much already. Connections that were lost or could
   *     not be made do not count: each of the requests that were lost with an upstream is sent at
   *     most once more, and has to pass all limits again
   * @return the ticket that waits, or null
   */
  private @Nullable Pending again(Failure failure, Verdict verdict, boolean budgeted) {
    boolean goes = verdict == Verdict.WAIT || verdict == Verdict.ELSEWHERE;
    if (!goes || !passage.repeatable()) {
      return null;
    }
    long now = now();
    boolean elsewhere = verdict == Verdict.ELSEWHERE;
    if (elsewhere && budgeted && !house.budgets().of(upstream().spec().id()).retry(now)) {
      return null;
    }
    return settlement().again(failure, elsewhere, now);
  }

  private Mono<Void> await(Pending waits) {
    EventLoop loop = ConnectionGuard.channel(exchange.getRequest()).eventLoop();
    passage.body().detach(Elsewhere.nextTurn(loop));
    passage.trail().submitted(waits);
    Mono<Outcome> outcome = Parking.await(waits, loop);
    Heartbeat heartbeat = waits.outcome() == null ? AdmitFilter.heartbeat(passage, loop) : null;
    if (heartbeat == null) {
      return outcome.flatMap(each -> released(waits, each));
    }
    Runnable gone = () -> passage.endpoint().cancel(waits);
    return tapped().getDelegate() instanceof LateResponse late
        ? late.beat(heartbeat, outcome, gone).flatMap(each -> released(waits, each))
        : heartbeat.until(
            outcome, untapped(), (later, each) -> releasedLater(later, waits, each), gone);
  }

  private Mono<Void> released(Pending waits, Outcome outcome) {
    if (!waits.take()) {
      return Mono.empty(); // the client went away first, and everything was returned
    }
    return switch (outcome) {
      case Outcome.Refused(Refusal refusal) -> Refuser.refuse(untapped(), passage, refusal);
      case Outcome.Granted(Settlement settlement) -> {
        passage.granted(settlement);
        withoutUsage = false; // only the previous upstream refused the option
        passage.trail().released(settlement);
        passage.tells(house.allowances().of(passage, settlement));
        yield next();
      }
    };
  }

  /**
   * Goes on in an answer that heartbeats may have begun meanwhile; a failure then has to be written
   * into that answer.
   */
  private Mono<Void> releasedLater(ServerWebExchange later, Pending waits, Outcome outcome) {
    if (!(later.getResponse() instanceof LateResponse late)) {
      return released(waits, outcome);
    }
    Tap tap = tap();
    exchange = exchange.mutate().response(tapped().over(late)).build();
    return released(waits, outcome)
        .onErrorResume(error -> SettleFilter.answered(later, tap, error));
  }

  /** Returns what an answer teaches; the limits of the upstream have learned it by then. */
  private Lesson lesson(int status, HttpHeaders headers, byte[] body) {
    Lesson lesson = passage.speech().lesson(status, headers::get, body);
    settlement().learn(lesson, now());
    if (lesson.oddity() != null) {
      tap().complain(upstream().spec().id(), lesson.oddity());
    }
    return lesson;
  }

  private Tries tries() {
    return new Tries(passage.askedModel(), rejected, broken, passage.repeatable(), streamUsage());
  }

  private Tries.StreamUsage streamUsage() {
    if (passage.asksUsage()) {
      return Tries.StreamUsage.ADDED;
    }
    return withoutUsage ? Tries.StreamUsage.TAKEN_OUT : Tries.StreamUsage.LEFT_ALONE;
  }

  private long now() {
    return house.ticker().nanos();
  }

  private Settlement settlement() {
    return Objects.requireNonNull(passage.settlement());
  }

  private Upstream upstream() {
    return Objects.requireNonNull(settlement().upstream());
  }

  private TappedResponse tapped() {
    return (TappedResponse) exchange.getResponse();
  }

  private Tap tap() {
    return tapped().tap();
  }

  private ServerWebExchange untapped() {
    return exchange.mutate().response(tapped().getDelegate()).build();
  }
}
