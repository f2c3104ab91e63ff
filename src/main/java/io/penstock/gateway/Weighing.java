package io.penstock.gateway;

import io.penstock.cost.Cost;
import io.penstock.cost.CostLearner;
import io.penstock.cost.RequestContent;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.gateway.body.HeldBody;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.ProviderCount;
import io.penstock.provider.request.Weighed;
import io.penstock.tokenizer.TokenizerInput;
import io.penstock.tokenizer.Tokenizers;
import io.penstock.wire.Names;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;
import reactor.core.publisher.Mono;

/** Determines the expected usage of a request from its body. Safe from any thread. */
final class Weighing {
  /** The cost of a request, and the content that it was computed from. */
  record Result(RequestContent content, Cost cost) {}

  private final CostLearner costLearner;
  private final Tokenizers tokenizers;
  private final ProviderCount provider;
  private final Complaints complaints;

  Weighing(
      CostLearner costLearner,
      Tokenizers tokenizers,
      ProviderCount provider,
      Complaints complaints) {
    this.costLearner = costLearner;
    this.tokenizers = tokenizers;
    this.provider = provider;
    this.complaints = complaints;
  }

  /** Returns the result if it can be computed quickly and without the provider, else null. */
  @Nullable Result atOnce(Passage passage, Weighed.Request body) {
    boolean asks = passage.endpoint().spec().reading().costFrom() == CostSource.PROVIDER;
    RequestContent requestContent = asks ? null : tokenizers.atOnce(body.tokenizerInput());
    return requestContent == null ? null : result(passage, requestContent);
  }

  /** Returns the result, which may come on any thread. */
  Mono<Result> later(Passage passage, Weighed.Request body, ServerHttpRequest request) {
    TokenizerInput input = body.tokenizerInput();
    Mono<Result> local =
        Mono.fromSupplier(() -> tokenizers.atOnce(input))
            .switchIfEmpty(tokenizers.later(input))
            .map(requestContent -> result(passage, requestContent));
    String model = body.model();
    UpstreamSpec upstream = upstream(passage.endpoint().spec(), model);
    return upstream == null || model == null
        ? local
        : local.flatMap(result -> counted(passage, model, request, upstream, result));
  }

  /** Returns the upstream that is asked to count tokens, or null. */
  private static @Nullable UpstreamSpec upstream(EndpointSpec spec, @Nullable String model) {
    if (spec.reading().costFrom() != CostSource.PROVIDER) {
      return null;
    }
    for (UpstreamSpec each : spec.upstreams()) {
      if (each.access().disabledBecause() == null && each.serves(model)) {
        return each;
      }
    }
    return null;
  }

  private Mono<Result> counted(
      Passage passage,
      String model,
      ServerHttpRequest request,
      UpstreamSpec upstream,
      Result local) {
    EndpointSpec spec = passage.endpoint().spec();
    String path = Paths.forwarded(spec, request.getURI().getRawPath());
    ProviderCount.Ask ask =
        new ProviderCount.Ask(
            spec.reading().dialect(),
            upstream,
            path,
            model,
            name -> header(passage, request, name));
    return provider
        .count(ask, passage.body().size(), bytes(passage.body()))
        .map(
            answer ->
                switch (answer) {
                  case ProviderCount.Answer.Counted(long tokens) ->
                      new Result(local.content(), local.cost().withInput(tokens));
                  case ProviderCount.Answer.NoCall none -> local;
                  case ProviderCount.Answer.Failed(String why) -> {
                    complaints.about(upstream.id(), "it was to count tokens, but " + why);
                    yield local;
                  }
                });
  }

  /** Returns a header to pass to the provider, or null if it may be a key of the gateway. */
  private static @Nullable String header(Passage passage, ServerHttpRequest request, String name) {
    boolean passes =
        passage.visitor().ownCredentials()
            || !Names.CREDENTIALS.contains(name.toLowerCase(Locale.ROOT));
    return passes ? request.getHeaders().getFirst(name) : null;
  }

  private static Mono<byte[]> bytes(HeldBody body) {
    return DataBufferUtils.join(body.publish(DefaultDataBufferFactory.sharedInstance))
        .map(Weighing::bytes);
  }

  private static byte[] bytes(DataBuffer joined) {
    byte[] bytes = new byte[joined.readableByteCount()];
    joined.read(bytes);
    DataBufferUtils.release(joined);
    return bytes;
  }

  private Result result(Passage passage, RequestContent requestContent) {
    EndpointSpec.Reading reading = passage.endpoint().spec().reading();
    Cost learned = costLearner.expect(requestContent, passage.key(), reading.defaultOutputTokens());
    return new Result(requestContent, cost(reading, learned, passage.parameters().tokens()));
  }

  private static Cost cost(EndpointSpec.Reading reading, Cost body, @Nullable Long tokens) {
    return switch (reading.costFrom()) {
      case BODY, PROVIDER -> body;
      case QUERY -> Cost.ofInput(tokens == null ? reading.defaultTokens() : tokens);
      case MAX -> tokens == null ? body : body.withInputAtLeast(tokens);
    };
  }

  /** Returns the cost of a request with a body that is not read. */
  static Cost unread(EndpointSpec.Reading reading, @Nullable Long tokens) {
    return reading.costFrom() == CostSource.BODY || reading.costFrom() == CostSource.PROVIDER
        ? Cost.NO_TOKENS
        : cost(reading, Cost.ofInput(reading.defaultTokens()), tokens);
  }
}
