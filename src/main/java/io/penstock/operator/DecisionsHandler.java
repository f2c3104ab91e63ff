package io.penstock.operator;

import io.penstock.model.DecisionService;
import io.penstock.model.DecisionWaits;
import io.penstock.model.ModelDecision;
import io.penstock.model.QuotaReservations;
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

  private final DecisionService decisionService;
  private final DecisionWaits decisionWaits;
  private final QuotaReservations quotaReservations;
  private final Ticker ticker;
  private final WallClock clock;

  DecisionsHandler(
      DecisionService decisionService,
      DecisionWaits decisionWaits,
      QuotaReservations quotaReservations,
      Ticker ticker,
      WallClock clock) {
    this.decisionService = decisionService;
    this.decisionWaits = decisionWaits;
    this.quotaReservations = quotaReservations;
    this.ticker = ticker;
    this.clock = clock;
  }

  private ClockReading now() {
    return new ClockReading(ticker.nanos(), clock.unixMillis());
  }

  /** Answers with the decision and records nothing. */
  Mono<ServerResponse> decide(ModelQuestion modelQuestion) {
    ClockReading now = now();
    ModelDecision modelDecision =
        decisionService.decide(modelQuestion.model(), modelQuestion.any("tokens"), now.nanos());
    return OperatorJson.answer(new DecisionView(modelDecision, now).json());
  }

  /** Answers as soon as there is room or the timeout has passed, and records nothing. */
  Mono<ServerResponse> await(ModelQuestion modelQuestion) {
    long tokens = modelQuestion.number("tokens");
    long millis = modelQuestion.number("timeout_ms", USUAL_WAIT_MILLIS, LONGEST_WAIT_MILLIS);
    long deadline = ticker.nanos() + millis * 1_000_000;
    return Mono.<Optional<ModelDecision>>create(
            sink -> {
              Runnable leave =
                  decisionWaits.enter(
                      modelQuestion.model(),
                      tokens,
                      deadline,
                      modelDecision -> sink.success(Optional.of(modelDecision)));
              if (leave == null) {
                sink.success(Optional.empty());
              } else {
                sink.onDispose(leave::run);
              }
            })
        .flatMap(
            told -> told.map(this::waited).orElseGet(() -> full(DecisionWaits.MOST + " wait")));
  }

  private Mono<ServerResponse> waited(ModelDecision modelDecision) {
    DecisionView view = new DecisionView(modelDecision, now());
    if (modelDecision.allowed()) {
      return OperatorJson.answer(view.json());
    }
    return view.denied(
        modelDecision.possible() ? HttpStatus.REQUEST_TIMEOUT : HttpStatus.TOO_MANY_REQUESTS);
  }

  private static Mono<ServerResponse> full(String what) {
    return ProblemAnswer.of(HttpStatus.SERVICE_UNAVAILABLE, what + " already")
        .answer("Retry-After", "1");
  }

  /** Reserves room for a request, or answers why there is none. */
  Mono<ServerResponse> reserve(ModelQuestion modelQuestion) {
    ClockReading now = now();
    return switch (quotaReservations.reserve(
        modelQuestion.model(), modelQuestion.number("tokens"), now.nanos())) {
      case QuotaReservations.Made made ->
          OperatorJson.answer(
              HttpStatus.CREATED,
              OperatorJson.object()
                  .put("id", made.id())
                  .put("expires_at", now.text(made.expiresNanos()))
                  .set("decision", new DecisionView(made.decision(), now).json()));
      case QuotaReservations.Denied(ModelDecision modelDecision) ->
          new DecisionView(modelDecision, now).denied(HttpStatus.TOO_MANY_REQUESTS);
      case QuotaReservations.TooMany tooMany ->
          full(QuotaReservations.MOST + " reservations are open");
    };
  }

  /** Replaces the reserved amount by the real usage. */
  Mono<ServerResponse> settle(String id, ModelQuestion modelQuestion) {
    long used = modelQuestion.number("prompt_tokens") + modelQuestion.number("output_tokens");
    return ended(quotaReservations.settle(id, used, ticker.nanos()), used);
  }

  /** Gives back the reserved amount of a request that was not sent. */
  Mono<ServerResponse> release(String id) {
    return ended(quotaReservations.release(id, ticker.nanos()), 0);
  }

  private static Mono<ServerResponse> ended(QuotaReservations.@Nullable Ended ended, long used) {
    return ended == null
        ? ProblemAnswer.answering(
            HttpStatus.NOT_FOUND, "no reservation has this id, or none any more")
        : OperatorJson.answer(
            OperatorJson.object()
                .put("model", ended.model())
                .put("reserved_tokens", ended.reservedTokens())
                .put("used_tokens", used));
  }
}
