package io.penstock.gateway.weigh;

import io.penstock.cost.Cost;
import io.penstock.cost.CostLearner;
import io.penstock.cost.ExcessOutput;
import io.penstock.cost.RequestContent;
import io.penstock.dialect.DialectTable;
import io.penstock.dispatch.TicketRequest.RequestAffinity;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.Fallback;
import io.penstock.gateway.body.HeldBody;
import io.penstock.gateway.request.PrefixAffinity;
import io.penstock.gateway.request.RawPaths;
import io.penstock.gateway.request.RequestContext;
import io.penstock.gateway.request.UpstreamComplaints;
import io.penstock.key.ApiCaller;
import io.penstock.model.ModelContexts;
import io.penstock.pool.UpstreamSpec;
import io.penstock.prefix.CacheLearner;
import io.penstock.provider.ProviderCount;
import io.penstock.provider.request.NamedModel;
import io.penstock.provider.request.WeighedRequest;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import io.penstock.tokenizer.TextTokenizers;
import io.penstock.tokenizer.TokenizerInput;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;
import reactor.core.publisher.Mono;

/** Determines the expected usage of a request from its body. Safe from any thread. */
public final class RequestWeighing {
  /**
   * The cost of a request, and its content as the client states it, with a maximum that is lowered.
   *
   * @param counted the input that was counted, in tokens: without what was learned
   * @param addedMaximum the maximum of output for one answer to write into the body, or {@link
   *     RequestContent#UNSTATED}
   * @param refusal the refusal of a request that states too large a maximum of output, or null
   * @param affinity the affinity to the upstream that has the beginning of the prompt in its cache
   */
  record Result(
      RequestContent content,
      Cost cost,
      long counted,
      long addedMaximum,
      @Nullable Refusal refusal,
      RequestAffinity affinity) {
    /** Returns the same result with another cost. */
    Result with(Cost other) {
      return new Result(content, other, counted, addedMaximum, refusal, affinity);
    }

    /** Returns the same result, refused unless it is already. */
    Result refused(Refusal other) {
      return new Result(
          content, cost, counted, addedMaximum, refusal == null ? other : refusal, affinity);
    }

    /** Returns the same result with an input that the provider counted. */
    Result counting(long tokens) {
      return new Result(content, cost.withInput(tokens), tokens, addedMaximum, refusal, affinity);
    }
  }

  private final CostLearner costLearner;
  private final CacheLearner cacheLearner;
  private final PrefixAffinity prefixAffinity;
  private final ModelContexts contexts;
  private final Ticker ticker;
  private final TextTokenizers tokenizers;
  private final ProviderCount provider;
  private final UpstreamComplaints complaints;

  public RequestWeighing(
      CostLearner costLearner,
      CacheLearner cacheLearner,
      PrefixAffinity prefixAffinity,
      ModelContexts contexts,
      Ticker ticker,
      TextTokenizers tokenizers,
      ProviderCount provider,
      UpstreamComplaints complaints) {
    this.costLearner = costLearner;
    this.cacheLearner = cacheLearner;
    this.prefixAffinity = prefixAffinity;
    this.contexts = contexts;
    this.ticker = ticker;
    this.tokenizers = tokenizers;
    this.provider = provider;
    this.complaints = complaints;
  }

  /** Returns the result if it can be computed quickly and without the provider, else null. */
  @Nullable Result atOnce(RequestContext requestContext, WeighedRequest.Request body) {
    boolean askProvider =
        requestContext.endpoint().spec().reading().costFrom() == CostSource.PROVIDER;
    RequestContent requestContent = askProvider ? null : tokenizers.atOnce(body.tokenizerInput());
    return requestContent == null
        ? null
        : whole(requestContext, body, result(requestContext, body, requestContent));
  }

  /** Returns the result with the part of the input that is expected to be read from a cache. */
  private Result expecting(
      RequestContext requestContext, WeighedRequest.Request body, Result result) {
    RequestAffinity affinity = prefixAffinity.of(requestContext, body);
    List<String> upstreams =
        PrefixAffinity.readers(requestContext.endpoint().spec(), body.model(), affinity.holder());
    Cost cost =
        upstreams.isEmpty()
            ? result.cost()
            : cacheLearner.expect(
                result.cost(), requestContext.promptOf(body), upstreams, ticker.nanos());
    return new Result(
        result.content(),
        cost,
        result.counted(),
        result.addedMaximum(),
        result.refusal(),
        affinity);
  }

  /** Returns the result, which may come on any thread. */
  Mono<Result> later(
      RequestContext requestContext, WeighedRequest.Request body, ServerHttpRequest request) {
    TokenizerInput input = body.tokenizerInput();
    Mono<Result> local =
        Mono.fromSupplier(() -> tokenizers.atOnce(input))
            .switchIfEmpty(tokenizers.later(input))
            .map(requestContent -> result(requestContext, body, requestContent));
    String model = body.model();
    UpstreamSpec upstream = upstream(requestContext.endpoint().spec(), model);
    Mono<Result> counted =
        upstream == null || model == null
            ? local
            : local.flatMap(result -> counted(requestContext, model, request, upstream, result));
    return counted.map(result -> whole(requestContext, body, result));
  }

  /** Returns the result with all that is expected of caches, of limits, and of unseen input. */
  private Result whole(RequestContext requestContext, WeighedRequest.Request body, Result result) {
    Result fitting =
        sparing(
            requestContext, body, fitting(requestContext, expecting(requestContext, body, result)));
    if (!result.content().unseenInput()) {
      return fitting;
    }
    long unseen =
        costLearner.unseenTokens(
            requestContext.key(), body.traits().continuedId(), context(requestContext, body));
    return fitting.with(fitting.cost().withUnseen(unseen));
  }

  /**
   * Returns the result with the longest answers that it may have, where budgets can pay for the
   * expected ones and bound the others by what they have left. Without a maximum, the context of
   * the model is the bound. Where maxima are not lowered, one above a budget is refused.
   */
  private Result sparing(
      RequestContext requestContext, WeighedRequest.Request body, Result result) {
    ApiCaller caller = requestContext.caller();
    RequestContent content = result.content();
    ExcessOutput excess = caller == null ? null : caller.excessOutput();
    boolean counted = requestContext.endpoint().spec().reading().costFrom() != CostSource.QUERY;
    // where nothing is said of larger maxima, there is no budget
    if (caller == null || excess == null || !content.generates() || !counted) {
      return result;
    }
    Cost cost = result.cost();
    if (excess == ExcessOutput.REFUSE) {
      long most = caller.account().smallestBudget(ticker.nanos());
      return cost.statedOutputTokens() <= most - cost.inputTokens()
          ? result
          : result.refused(OutputMaximum.aboveBudget(cost, most));
    }
    if (!caller.account().hasOwnBudgets(ticker.nanos())) {
      return result;
    }
    boolean stated = content.states() || cost.statedOutputTokens() > 0;
    return result.with(
        cost.withMostOutput(
            stated
                ? cost.statedOutputTokens()
                : context(requestContext, body) * content.answers()));
  }

  /** Returns the largest context of the models that may serve a request. */
  private long context(RequestContext requestContext, WeighedRequest.Request body) {
    Fallback fallback = requestContext.endpoint().spec().fallback(body.model());
    Stream<String> further = body.traits().furtherModels().stream().map(NamedModel::name);
    Stream<String> others = fallback == null ? Stream.empty() : fallback.models().stream();
    return Stream.concat(further, others)
        .mapToLong(contexts::of)
        .reduce(contexts.of(body.model()), Math::max);
  }

  /**
   * Returns the result with the largest input that its limits ever admit, if it would never fit
   * only because of what was learned. Refused requests teach nothing, so a wrong expectation would
   * refuse them for good.
   */
  private static Result fitting(RequestContext requestContext, Result result) {
    Cost cost = result.cost();
    if (cost.inputTokens() <= result.counted()) {
      return result;
    }
    ApiCaller caller = requestContext.caller();
    long most =
        requestContext
            .endpoint()
            .mostInput(result.content().model(), cost, caller == null ? null : caller.account());
    return most >= result.counted() && most < cost.inputTokens()
        ? result.with(cost.withInput(most))
        : result;
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
      RequestContext requestContext,
      String model,
      ServerHttpRequest request,
      UpstreamSpec upstream,
      Result local) {
    EndpointSpec spec = requestContext.endpoint().spec();
    String path =
        requestContext
            .upstreamProtocol()
            .versioned(
                Objects.requireNonNullElse(upstream.url().getPath(), ""),
                RawPaths.forwarded(spec, request.getURI().getRawPath()));
    ProviderCount.Ask ask =
        new ProviderCount.Ask(
            spec.reading().dialect(),
            upstream,
            path,
            model,
            name -> header(requestContext, request, name));
    return provider
        .count(ask, requestContext.body().size(), bytes(requestContext.body()))
        .map(
            answer ->
                switch (answer) {
                  case ProviderCount.Answer.Counted(long tokens) -> local.counting(tokens);
                  case ProviderCount.Answer.NoCall none -> local;
                  case ProviderCount.Answer.Failed(String why) -> {
                    complaints.about(upstream.id(), "it was to count tokens, but " + why);
                    yield local;
                  }
                });
  }

  /** Returns a header to pass to the provider, or null if it may be a key of the gateway. */
  private static @Nullable String header(
      RequestContext requestContext, ServerHttpRequest request, String name) {
    boolean passes =
        requestContext.client().ownCredentials()
            || !DialectTable.CREDENTIALS.contains(name.toLowerCase(Locale.ROOT));
    return passes ? request.getHeaders().getFirst(name) : null;
  }

  private static Mono<byte[]> bytes(HeldBody body) {
    return DataBufferUtils.join(body.publish(DefaultDataBufferFactory.sharedInstance))
        .map(RequestWeighing::bytes);
  }

  private static byte[] bytes(DataBuffer joined) {
    byte[] bytes = new byte[joined.readableByteCount()];
    joined.read(bytes);
    DataBufferUtils.release(joined);
    return bytes;
  }

  private Result result(
      RequestContext requestContext, WeighedRequest.Request body, RequestContent requestContent) {
    boolean canBeLowered = !body.spots().maxima().isEmpty();
    OutputMaximum ofKey = OutputMaximum.ofKey(requestContext, requestContent, canBeLowered);
    OutputMaximum maximum =
        canBeLowered || !requestContent.states()
            ? ofKey.fitting(requestContext, content -> cost(requestContext, content))
            : ofKey;
    return new Result(
        maximum.stated(),
        cost(requestContext, maximum.weighed()),
        cost(
                requestContext.endpoint().spec().reading(),
                requestContent.expected(0),
                requestContext.parameters().tokens())
            .inputTokens(),
        maximum.added(),
        maximum.refusal(),
        RequestAffinity.NONE);
  }

  private Cost cost(RequestContext requestContext, RequestContent requestContent) {
    EndpointSpec.Reading reading = requestContext.endpoint().spec().reading();
    Cost learned =
        costLearner.expect(requestContent, requestContext.key(), reading.defaultOutputTokens());
    return cost(reading, learned, requestContext.parameters().tokens());
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
