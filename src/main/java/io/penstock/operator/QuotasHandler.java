package io.penstock.operator;

import io.penstock.cost.Cost;
import io.penstock.model.DecisionService;
import io.penstock.model.ModelDecision;
import io.penstock.model.ModelLimits;
import io.penstock.model.ModelQuotas;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import tools.jackson.databind.node.ObjectNode;

/** Shows the limits of models and their usage, and changes both at run time. */
final class QuotasHandler {
  private final ModelQuotas models;
  private final DecisionService decisionService;
  private final Ticker ticker;
  private final WallClock clock;

  QuotasHandler(
      ModelQuotas models, DecisionService decisionService, Ticker ticker, WallClock clock) {
    this.models = models;
    this.decisionService = decisionService;
    this.ticker = ticker;
    this.clock = clock;
  }

  private List<ObjectNode> views(String model) {
    ClockReading now = new ClockReading(ticker.nanos(), clock.unixMillis());
    return decisionService.list(model.isEmpty() ? null : model, now.nanos()).stream()
        .map(
            each ->
                OperatorJson.object()
                    .put("model", each.model())
                    .put("source", each.source())
                    .put("limits_traffic", each.traffic())
                    .put("utilization", DecisionView.rounded(each.utilization()))
                    .put("window_start", now.text(each.stats().windowStartNanos()))
                    .set("stats", DecisionView.stats(each.stats(), now)))
        .toList();
  }

  /**
   * Answers with an array of all models by name, or only the model that {@code ?model=} counts as.
   */
  Mono<ServerResponse> list(String model) {
    List<ObjectNode> views = views(model);
    return !model.isEmpty() && views.isEmpty() ? unknown() : OperatorJson.answer(views);
  }

  private static Mono<ServerResponse> unknown() {
    return ProblemAnswer.answering(HttpStatus.NOT_FOUND, "nothing is known of this model");
  }

  /** Overrides the limits of a model; omitted limits keep their values. */
  Mono<ServerResponse> override(ModelQuestion modelQuestion) {
    ModelLimits before =
        decisionService.list(modelQuestion.model(), ticker.nanos()).stream()
            .map(each -> each.stats().limits())
            .findFirst()
            .orElse(ModelLimits.NONE);
    if (modelQuestion.numbers().isEmpty()) {
      return ProblemAnswer.answering(
          HttpStatus.BAD_REQUEST, "at least one of rpm, tpm and rpd is expected");
    }
    ModelLimits limits =
        new ModelLimits(
            modelQuestion.number("rpm", "max_rpm", before.rpm(), Cost.MAX_TOKENS),
            modelQuestion.number("tpm", "max_tpm", before.tpm(), Cost.MAX_TOKENS),
            modelQuestion.number("rpd", "max_rpd", before.rpd(), Cost.MAX_TOKENS));
    return models.override(modelQuestion.model(), limits, ticker.nanos())
        ? OperatorJson.answer(views(modelQuestion.model()))
        : ProblemAnswer.answering(
            HttpStatus.CONFLICT, ModelQuotas.MOST_OVERRIDES + " models have an override already");
  }

  /** Ends the override of a model, so that its configured limits apply again. */
  Mono<ServerResponse> endOverride(String model) {
    return models.endOverride(model, ticker.nanos())
        ? OperatorJson.answer(views(model))
        : ProblemAnswer.answering(HttpStatus.NOT_FOUND, "this model has no override");
  }

  /** Loads the profile of a provider. */
  Mono<ServerResponse> load(String provider) {
    return models.load(provider, ticker.nanos())
        ? OperatorJson.answer(
            OperatorJson.object()
                .put("provider", provider)
                .set("quotas", OperatorJson.tree(views(""))))
        : ProblemAnswer.answering(HttpStatus.NOT_FOUND, "there is no profile of this provider");
  }

  /** Records a request that was sent. */
  Mono<ServerResponse> record(ModelQuestion modelQuestion) {
    long tokens = modelQuestion.number("prompt_tokens") + modelQuestion.number("output_tokens");
    ClockReading now = new ClockReading(ticker.nanos(), clock.unixMillis());
    boolean recorded = decisionService.record(modelQuestion.model(), tokens, now.nanos());
    ModelDecision after = decisionService.decide(modelQuestion.model(), 0, now.nanos());
    return OperatorJson.answer(
        OperatorJson.object()
            .put("recorded", recorded)
            .set("stats", DecisionView.stats(after.stats(), now)));
  }

  /** Resets the usage of one model, or of all. */
  Mono<ServerResponse> reset(String model) {
    if (!model.isEmpty() && views(model).isEmpty()) {
      return unknown();
    }
    models.reset(model.isEmpty() ? null : model, ticker.nanos());
    return OperatorJson.answer(views(model));
  }
}
