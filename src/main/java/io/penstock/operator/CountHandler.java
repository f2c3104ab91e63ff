package io.penstock.operator;

import io.penstock.cost.CostLearner;
import io.penstock.cost.ExcessOutput;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.operator.QuestionBody.Unclear;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.ProviderCount;
import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.WeighedRequest;
import io.penstock.tokenizer.TextTokenizers;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Counts the input tokens of a text or a request, without sending the request to be answered. */
final class CountHandler {
  /** Longest accepted body of a question, in bytes. */
  static final int MOST_BYTES = 4 << 20;

  private final EndpointRegistry registry;
  private final CostLearner costLearner;
  private final TextTokenizers tokenizers;
  private final ProviderCount provider;

  CountHandler(
      EndpointRegistry registry,
      CostLearner costLearner,
      TextTokenizers tokenizers,
      ProviderCount provider) {
    this.registry = registry;
    this.costLearner = costLearner;
    this.tokenizers = tokenizers;
    this.provider = provider;
  }

  /** Answers with the local estimate, or with the provider's own count. */
  Mono<ServerResponse> count(ServerRequest request) {
    Scheduler elsewhere = tokenizers.scheduler();
    return QuestionBody.answered(
        request,
        MOST_BYTES,
        body ->
            body.publishOn(elsewhere)
                .map(CountRequest::read)
                .flatMap(asked -> asked.exact() ? exactly(asked) : estimated(asked))
                .onErrorResume(
                    RejectedExecutionException.class,
                    busy ->
                        ProblemAnswer.answering(
                            HttpStatus.SERVICE_UNAVAILABLE, "too much is being counted")));
  }

  private Mono<ServerResponse> estimated(CountRequest asked) {
    WeighedRequest.Request read = read(asked);
    return tokenizers
        .later(read.tokenizerInput())
        .flatMap(
            content -> {
              long input = costLearner.expect(content, "", 0).inputTokens();
              return OperatorJson.answer(
                  counted(asked, input, false).put("tokenizer", content.tokenized()));
            });
  }

  private static ObjectNode counted(CountRequest asked, long tokens, boolean exact) {
    return OperatorJson.object()
        .put("provider", asked.provider())
        .put("model", asked.model())
        .put("input_tokens", tokens)
        .put("exact", exact);
  }

  private static WeighedRequest.Request read(CountRequest asked) {
    ProviderProtocol providerProtocol = asked.dialect();
    if (!providerProtocol.weighs("POST", asked.path())) {
      throw new Unclear("requests of this kind are not read: body is expected to be another");
    }
    EndpointSpec.Reading reading =
        new EndpointSpec.Reading(
            asked.dialect(),
            CostSource.BODY,
            0,
            0,
            MOST_BYTES,
            MOST_BYTES,
            EndpointSpec.Parameters.STRICT,
            ExcessOutput.REFUSE);
    RequestReader reader = providerProtocol.requestReader(reading, asked.path());
    reader.feed(ByteBuffer.wrap(JsonMapper.shared().writeValueAsBytes(asked.body())));
    return switch (reader.finish()) {
      case WeighedRequest.Request read -> {
        if (read.doubts().tokens() != null) {
          throw new Unclear("in the body: " + read.doubts().tokens());
        }
        yield read;
      }
      case WeighedRequest.Malformed(String detail) -> throw new Unclear("in the body: " + detail);
    };
  }

  private Mono<ServerResponse> exactly(CountRequest asked) {
    UpstreamSpec upstream = upstream(asked);
    if (upstream == null) {
      return ProblemAnswer.answering(
          HttpStatus.NOT_FOUND, "no upstream of this provider serves this model");
    }
    byte[] body = JsonMapper.shared().writeValueAsBytes(asked.body());
    String base = String.valueOf(upstream.url().getPath());
    String path =
        base.matches(".*/v1(beta)?/?") ? asked.path().replaceFirst("/v1(beta)?", "") : asked.path();
    return provider
        .count(
            new ProviderCount.Ask(asked.dialect(), upstream, path, asked.model(), name -> null),
            body.length,
            Mono.just(body))
        .flatMap(
            answer ->
                switch (answer) {
                  case ProviderCount.Answer.Counted(long tokens) ->
                      OperatorJson.answer(
                          counted(asked, tokens, true).put("upstream", upstream.id()));
                  case ProviderCount.Answer.NoCall none ->
                      ProblemAnswer.answering(
                          HttpStatus.NOT_FOUND, "the provider counts no requests of this kind");
                  case ProviderCount.Answer.Failed(String why) ->
                      ProblemAnswer.answering(
                          HttpStatus.BAD_GATEWAY,
                          "upstream " + upstream.id() + " did not count: " + why);
                });
  }

  private @Nullable UpstreamSpec upstream(CountRequest asked) {
    for (Endpoint endpoint : registry.all()) {
      EndpointSpec spec = endpoint.spec();
      if (spec.reading().dialect().equals(asked.dialect())) {
        for (UpstreamSpec each : spec.upstreams()) {
          boolean enabled = each.access().disabledBecause() == null && !each.access().passthrough();
          if (enabled && each.serves(asked.model())) {
            return each;
          }
        }
      }
    }
    return null;
  }
}
