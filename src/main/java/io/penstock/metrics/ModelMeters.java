package io.penstock.metrics;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.penstock.cost.GenAiConventions;
import io.penstock.cost.ModelOperation;
import io.penstock.cost.TokenUsage;
import io.penstock.event.Event;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Durations and token usage of calls of models, named by the conventions in {@link
 * GenAiConventions}, and the accuracy of estimates. Models without room are counted together as
 * {@code other}. Safe from any thread.
 */
final class ModelMeters {
  private static final String ESTIMATES = "penstock.estimate.error.ratio";
  private static final double[] RATIOS = {0.5, 0.7, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.4, 2};

  /** Bucket bounds that the conventions recommend for {@link GenAiConventions#TOKEN_USAGE}. */
  private static final double[] TOKEN_BOUNDS = {
    1,
    4,
    16,
    64,
    256,
    1_024,
    4_096,
    16_384,
    65_536,
    262_144,
    1_048_576,
    4_194_304,
    16_777_216,
    67_108_864
  };

  /**
   * Bucket bounds that they recommend for {@link GenAiConventions#OPERATION_DURATION}: each is
   * twice the previous.
   */
  private static final Duration[] TIME_BOUNDS =
      IntStream.range(0, 14)
          .mapToObj(doublings -> Duration.ofMillis(10L << doublings))
          .toArray(Duration[]::new);

  /** Bucket bounds for the time to the first output: the same without those below 40 ms. */
  private static final Duration[] FIRST_BOUNDS =
      Arrays.copyOfRange(TIME_BOUNDS, 2, TIME_BOUNDS.length);

  /** Errors that are meaningful labels; all others share one. */
  private static final Set<String> ERRORS =
      Set.of(
          "400",
          "401",
          "402",
          "403",
          "404",
          "413",
          "429",
          "500",
          "502",
          "503",
          "504",
          "520",
          "521",
          "522",
          "523",
          "524",
          "525",
          "526",
          "527",
          "529",
          "530",
          "cancelled",
          "upstream_account",
          "upstream_timeout",
          "upstream_unreachable");

  /** Labels of one histogram; the error of a successful call is empty. */
  private record Kind(String provider, String operation, String model, String error) {
    Kind together() {
      String any = error.isEmpty() ? "" : GenAiConventions.OTHER_ERROR;
      return new Kind(provider, operation, BoundedLabels.OTHER, any);
    }

    Tags tags() {
      return Tags.of(
          GenAiConventions.OPERATION_NAME,
          operation,
          GenAiConventions.PROVIDER_NAME,
          provider,
          GenAiConventions.REQUEST_MODEL,
          model);
    }

    Tags withError() {
      return tags().and(GenAiConventions.ERROR_TYPE, error);
    }
  }

  /** Calls of a kind to one upstream. */
  private record Called(Kind kind, String upstream) {
    Tags tags() {
      return kind.tags().and("upstream", upstream);
    }
  }

  /** Token histograms of one kind of calls. */
  private record Tokens(DistributionSummary input, DistributionSummary output) {}

  private final MeterRegistry registry;
  private final BoundedLabels models;
  private final BoundedLabels upstreams;
  private final ScrapeBudget scrapeBudget;
  private final Map<String, DistributionSummary> estimates = new ConcurrentHashMap<>();
  private final Map<Kind, Timer> durations = new ConcurrentHashMap<>();
  private final Map<Called, Timer> firsts = new ConcurrentHashMap<>();
  private final Map<Kind, Tokens> tokens = new ConcurrentHashMap<>();

  /**
   * Creates an object without meters.
   *
   * @param models models with labels of their own
   * @param upstreams upstreams with labels of their own
   * @param scrapeBudget budget for those
   */
  ModelMeters(
      MeterRegistry registry,
      BoundedLabels models,
      BoundedLabels upstreams,
      ScrapeBudget scrapeBudget) {
    this.registry = registry;
    this.models = models;
    this.upstreams = upstreams;
    this.scrapeBudget = scrapeBudget;
  }

  /** Records the accuracy of an estimate: used ÷ expected tokens. */
  void estimated(Event.Estimated event) {
    if (event.expectedTokens() > 0) {
      DistributionSummary of = found(estimates, models.of(event.model()), this::newEstimates);
      of.record((double) event.usedTokens() / (double) event.expectedTokens());
    }
  }

  private DistributionSummary newEstimates(String model) {
    Tags own = Tags.of("model", model);
    return DistributionSummary.builder(ESTIMATES)
        .description("Input tokens that were used, for each that was expected")
        .tags(fits(RATIOS.length, ESTIMATES, own) ? own : Tags.of("model", BoundedLabels.OTHER))
        .serviceLevelObjectives(RATIOS)
        .register(registry);
  }

  /** Records the duration of a call, and its usage if known. */
  void called(Event.Called event) {
    String provider = event.dialect().telemetryName();
    if (provider == null) {
      return;
    }
    Kind kind = kind(provider, event.operation(), event.model(), event.error());
    found(durations, kind, this::newDurations).record(event.lastedNanos(), TimeUnit.NANOSECONDS);
    TokenUsage tokenUsage = event.usage();
    if (tokenUsage != null) {
      Kind ofAny = new Kind(kind.provider(), kind.operation(), kind.model(), "");
      Tokens used = found(tokens, ofAny, this::newTokens);
      used.input().record((double) tokenUsage.inputTokens());
      if (event.operation() != ModelOperation.EMBEDDING) {
        used.output().record((double) tokenUsage.outputTokens());
      }
    }
  }

  /** Records how long the first output of a stream took. */
  void began(Event.FirstOutput event) {
    String provider = event.dialect().telemetryName();
    if (provider != null) {
      Kind kind = kind(provider, event.operation(), event.model(), null);
      found(firsts, new Called(kind, upstreams.of(event.upstream())), this::newFirsts)
          .record(event.tookNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private Timer newFirsts(Called called) {
    boolean own = fits(FIRST_BOUNDS.length, GenAiConventions.TIME_TO_FIRST_CHUNK, called.tags());
    Called shown = own ? called : new Called(called.kind().together(), BoundedLabels.OTHER);
    return Timer.builder(GenAiConventions.TIME_TO_FIRST_CHUNK)
        .description("How long the first output of a stream takes, from the call's release")
        .tags(shown.tags())
        .serviceLevelObjectives(FIRST_BOUNDS)
        .register(registry);
  }

  private Kind kind(
      String provider,
      ModelOperation modelOperation,
      @Nullable String model,
      @Nullable String error) {
    String type =
        error == null ? "" : ERRORS.contains(error) ? error : GenAiConventions.OTHER_ERROR;
    return new Kind(provider, GenAiConventions.name(modelOperation), models.of(model), type);
  }

  private Timer newDurations(Kind kind) {
    boolean own = fits(TIME_BOUNDS.length, GenAiConventions.OPERATION_DURATION, kind.withError());
    return Timer.builder(GenAiConventions.OPERATION_DURATION)
        .description("How long calls of models take, from their release to the answer's end")
        .tags((own ? kind : kind.together()).withError())
        .serviceLevelObjectives(TIME_BOUNDS)
        .register(registry);
  }

  private Tokens newTokens(Kind kind) {
    Tags longest = kind.tags().and(GenAiConventions.TOKEN_TYPE, GenAiConventions.OUTPUT);
    boolean own = fits(2 * TOKEN_BOUNDS.length + 4, GenAiConventions.TOKEN_USAGE, longest);
    Tags tags = (own ? kind : kind.together()).tags();
    return new Tokens(
        newTokens(tags, GenAiConventions.INPUT), newTokens(tags, GenAiConventions.OUTPUT));
  }

  private DistributionSummary newTokens(Tags tags, String type) {
    return DistributionSummary.builder(GenAiConventions.TOKEN_USAGE)
        .description("Tokens of a call of a model, as its answer says")
        .tags(tags.and(GenAiConventions.TOKEN_TYPE, type))
        .serviceLevelObjectives(TOKEN_BOUNDS)
        .register(registry);
  }

  private boolean fits(int bounds, String name, Tags tags) {
    return scrapeBudget.take(ScrapeBudget.histogram(bounds, name, tags));
  }

  /** Finds an existing meter without locking, or creates it. */
  private static <K, M> M found(Map<K, M> all, K key, Function<K, M> make) {
    M known = all.get(key);
    return known != null ? known : all.computeIfAbsent(key, make);
  }
}
