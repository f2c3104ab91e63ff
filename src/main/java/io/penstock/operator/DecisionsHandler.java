package io.penstock.operator;

import io.penstock.quota.Decision;
import io.penstock.quota.Decisions;
import io.penstock.quota.Reservations;
import io.penstock.quota.Waits;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** Decides whether a model may be asked, for programs that call the provider directly. */
final class DecisionsHandler {
  private static final long LONGEST_WAIT_MILLIS = 3_600_000;
  private static final long USUAL_WAIT_MILLIS = 60_000;

  private record Reserved(String id, String expiresAt, DecisionView decision) {}

  private record Ended(String model, long reservedTokens, long usedTokens) {}

  private final Decisions decisions;
  private final Waits waits;
  private final Reservations reservations;
  private final Ticker ticker;
  private final WallClock clock;

  DecisionsHandler(
      Decisions decisions, Waits waits, Reservations reservations, Ticker ticker, WallClock clock) {
    this.decisions = decisions;
    this.waits = waits;
    this.reservations = reservations;
    this.ticker = ticker;
    this.clock = clock;
  }

  private Moment now() {
    return new Moment(ticker.nanos(), clock.unixMillis());
  }

  /** Answers with the decision and records nothing. */
  Mono<ServerResponse> decide(Asked asked) {
    Moment now = now();
    Decision decision = decisions.decide(asked.model(), asked.any("tokens"), now.nanos());
    return Json.answer(DecisionView.of(decision, now));
  }

  /** Answers as soon as there is room or the timeout has passed, and records nothing. */
  Mono<ServerResponse> await(Asked asked) {
    long tokens = asked.number("tokens");
    long millis = asked.number("timeout_ms", USUAL_WAIT_MILLIS, LONGEST_WAIT_MILLIS);
    long deadline = ticker.nanos() + millis * 1_000_000;
    return Mono.<Optional<Decision>>create(
            sink -> {
              Runnable leave =
                  waits.enter(
                      asked.model(),
                      tokens,
                      deadline,
                      decision -> sink.success(Optional.of(decision)));
              if (leave == null) {
                sink.success(Optional.empty());
              } else {
                sink.onDispose(leave::run);
              }
            })
        .flatMap(told -> told.map(this::waited).orElseGet(() -> full(Waits.MOST + " wait")));
  }

  private Mono<ServerResponse> waited(Decision decision) {
    DecisionView view = DecisionView.of(decision, now());
    if (decision.allowed()) {
      return Json.answer(view);
    }
    return view.denied(
        decision.possible() ? HttpStatus.REQUEST_TIMEOUT : HttpStatus.TOO_MANY_REQUESTS);
  }

  private static Mono<ServerResponse> full(String what) {
    return Problem.of(HttpStatus.SERVICE_UNAVAILABLE, what + " already").answer("Retry-After", "1");
  }

  /** Reserves room for a request, or answers why there is none. */
  Mono<ServerResponse> reserve(Asked asked) {
    Moment now = now();
    return switch (reservations.reserve(asked.model(), asked.number("tokens"), now.nanos())) {
      case Reservations.Made made ->
          Json.answer(
              HttpStatus.CREATED,
              new Reserved(
                  made.id(), now.text(made.expiresNanos()), DecisionView.of(made.decision(), now)));
      case Reservations.Denied(Decision decision) ->
          DecisionView.of(decision, now).denied(HttpStatus.TOO_MANY_REQUESTS);
      case Reservations.TooMany tooMany -> full(Reservations.MOST + " reservations are open");
    };
  }

  /** Replaces the reserved amount by the real usage. */
  Mono<ServerResponse> settle(String id, Asked asked) {
    long used = asked.number("prompt_tokens") + asked.number("output_tokens");
    return ended(reservations.settle(id, used, ticker.nanos()), used);
  }

  /** Gives back the reserved amount of a request that was not sent. */
  Mono<ServerResponse> release(String id) {
    return ended(reservations.release(id, ticker.nanos()), 0);
  }

  private static Mono<ServerResponse> ended(Reservations.@Nullable Ended ended, long used) {
    return ended == null
        ? Problem.of(HttpStatus.NOT_FOUND, "no reservation has this id, or none any more").answer()
        : Json.answer(new Ended(ended.model(), ended.reservedTokens(), used));
  }
}
