package io.penstock.config;

import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.LimitAlgorithm;
import io.penstock.queue.QueueOrder;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The settings of {@code endpoints[]} and {@code defaults}. */
final class EndpointSettings {
  private static final long MIB = 1L << 20;
  private static final long YEAR_SECONDS = 31_536_000;
  private static final long COUNT = Integer.MAX_VALUE;

  static final Setting<String> PATH =
      Setting.required("path", new EndpointPath(), "Where clients find the endpoint.");

  static final Setting<Dialect> DIALECT =
      Setting.fixed(
          "dialect",
          Words.Choice.of(List.of(Dialect.values()), d -> lower(d)),
          Dialect.NONE,
          "How cost and usage are read.");

  static final Setting<LimitAlgorithm> ALGORITHM =
      Setting.derived(
          "algorithm",
          Words.Choice.of(List.of(LimitAlgorithm.values()), LimitAlgorithm::text),
          "none with upstreams, else strict",
          values -> permit(values) ? LimitAlgorithm.STRICT : LimitAlgorithm.NONE,
          "The endpoint's own limit, beside those of its upstreams.");

  static final Setting<BigDecimal> RATE =
      Setting.fixed(
          "rate",
          Numbers.Fraction.above(0, 1_000_000_000),
          BigDecimal.ONE,
          "Requests per unit (strict, token_bucket, sliding_window).");

  static final Setting<Long> UNIT =
      Setting.fixed(
          "unit",
          Words.Choice.of(List.of(1L, 60L), seconds -> seconds == 1 ? "rps" : "rpm"),
          1L,
          "Unit of the rate: requests a second or a minute.");

  static final Setting<QueueOrder> SCHEDULER =
      Setting.fixed(
          "scheduler",
          Words.Choice.of(List.of(QueueOrder.values()), o -> lower(o)),
          QueueOrder.FIFO,
          "In which order requests leave.");

  static final Setting<BigDecimal> PRIORITY_AGING_SECONDS =
      Setting.fixed(
          "priority_aging_seconds",
          Numbers.Fraction.from("0", YEAR_SECONDS),
          BigDecimal.valueOf(30),
          "Seconds of waiting that count as one more priority (priority); 0 is off.");

  static final Setting<FairBy> FAIR_BY =
      Setting.fixed("fair_by", new Flow(), new FairBy.Key(), "What tells the flows apart (fair).");

  static final Setting<Long> BURST_SIZE =
      Setting.sometimes(
          "burst_size",
          new Numbers.Whole(1, 1_000_000_000),
          "1 for token_bucket, else none",
          values -> with(values, LimitAlgorithm.TOKEN_BUCKET, 1L),
          "Requests that the bucket holds (token_bucket).");

  static final Setting<BigDecimal> WINDOW_SECONDS =
      Setting.sometimes(
          "window_seconds",
          Numbers.Fraction.from("0.001", YEAR_SECONDS),
          "1 for sliding_window, else none; required for token_window",
          values -> with(values, LimitAlgorithm.SLIDING_WINDOW, BigDecimal.ONE),
          "Length of a window, in seconds (sliding_window, token_window).");

  static final Setting<BigDecimal> LATENCY_COMPENSATION =
      Setting.fixed(
          "latency_compensation",
          Numbers.Fraction.from("0", 3_600_000),
          BigDecimal.ZERO,
          "Milliseconds by which a release may come before its slot (strict).");

  static final Setting<Long> TOKENS_PER_WINDOW =
      Setting.unset(
          "tokens_per_window",
          new Numbers.Whole(1, Cost.MAX_TOKENS),
          "none; required for token_window",
          "Input and output tokens released in one window (token_window).");

  static final Setting<Long> DEFAULT_TOKENS =
      Setting.fixed(
          "default_tokens",
          new Numbers.Whole(0, Cost.MAX_TOKENS),
          1L,
          "Input tokens of a request when nothing better is known.");

  static final Setting<Long> MAX_QUEUE_SIZE =
      Setting.fixed(
          "max_queue_size", new Numbers.Whole(1, COUNT), 1000L, "Requests that may wait.");

  static final Setting<Long> MAX_QUEUED_TOKENS =
      Setting.fixed(
          "max_queued_tokens",
          new Numbers.Whole(0, Cost.MAX_TOKENS),
          0L,
          "Tokens that may wait; 0 is unlimited.");

  static final Setting<Long> MAX_QUEUED_BYTES =
      Setting.fixed(
          "max_queued_bytes",
          new Numbers.Whole(1, 1L << 50),
          256 * MIB,
          "Bytes of bodies that may wait.");

  static final Setting<Boolean> OVERFLOW =
      Setting.fixed(
          "overflow",
          Words.Choice.of(List.of(false, true), block -> block ? "block" : "reject"),
          false,
          "What happens to a request when the queue is full: refused, or held until there is"
              + " room.");

  static final Setting<Long> MAX_BLOCKED =
      Setting.fixed(
          "max_blocked",
          new Numbers.Whole(0, COUNT),
          1000L,
          "Requests that are held when the queue is full (overflow block).");

  static final Setting<BigDecimal> QUEUE_TIMEOUT =
      Setting.fixed(
          "queue_timeout",
          Numbers.Fraction.from("0", YEAR_SECONDS),
          BigDecimal.ZERO,
          "Seconds; refuse at arrival when the estimated wait is longer, and wait no longer; 0 is"
              + " off.");

  static final Setting<BigDecimal> MAX_WAIT =
      Setting.derived(
          "max_wait",
          Numbers.Fraction.from("0", YEAR_SECONDS),
          "600 with upstreams, else 0",
          values -> permit(values) ? BigDecimal.ZERO : BigDecimal.valueOf(600),
          "Seconds that any request waits at most; 0 is unlimited.");

  static final Setting<Long> MAX_SKIPS =
      Setting.fixed(
          "max_skips",
          new Numbers.Whole(0, 1_000_000),
          64L,
          "How often smaller requests may pass a waiting one.");

  static final Setting<BigDecimal> HEARTBEAT_SECONDS =
      Setting.fixed(
          "heartbeat_seconds",
          Numbers.Fraction.from("0", 86_400),
          BigDecimal.ZERO,
          "Seconds between two signs of life to a streaming request that waits; 0 is off.");

  static final Setting<CostSource> COST_FROM =
      Setting.derived(
          "cost_from",
          Words.Choice.of(List.of(CostSource.values()), c -> lower(c)),
          "body with a dialect, else query",
          values -> values.get(DIALECT) == Dialect.NONE ? CostSource.QUERY : CostSource.BODY,
          "Where the cost of a request is read; max takes the larger.");

  static final Setting<Long> DEFAULT_OUTPUT_TOKENS =
      Setting.fixed(
          "default_output_tokens",
          new Numbers.Whole(0, Cost.MAX_TOKENS),
          256L,
          "Output tokens expected when nothing is said and nothing is learned yet.");

  static final Setting<Long> MAX_BODY_BYTES =
      Setting.fixed(
          "max_body_bytes",
          new Numbers.Whole(1, 1024 * MIB),
          32 * MIB,
          "Largest body that is weighed, in bytes; a larger one is refused.");

  static final Setting<Long> MAX_UPLOAD_BYTES =
      Setting.fixed(
          "max_upload_bytes",
          new Numbers.Whole(1, 1L << 50),
          EndpointSpec.Reading.UPLOAD_BYTES,
          "Largest body that is not weighed but streamed through, in bytes.");

  static final Setting<EndpointSpec.Affinity> AFFINITY =
      Setting.derived(
          "affinity",
          new Affinity(),
          "auto with dialect openai or azure, else none",
          values -> affinityOf(values.get(DIALECT)),
          "What keeps requests to one upstream; auto: what an earlier answer named.");

  static final Setting<Boolean> UPGRADE =
      Setting.fixed(
          "upgrade",
          Words.Choice.of(List.of(true, false), pass -> pass ? "pass" : "refuse"),
          true,
          "Whether connections may become another protocol, such as WebSocket.");

  static final Setting<Boolean> EXPOSE_UPSTREAM_LIMITS =
      Setting.fixed(
          "expose_upstream_limits",
          new Words.Flag(),
          false,
          "Whether answers tell what is left of the limits of their upstream.");

  static final Setting<Boolean> SHADOW =
      Setting.fixed(
          "shadow",
          new Words.Flag(),
          false,
          "Whether everything is decided, counted and logged, and nothing is held.");

  static final Setting<Boolean> DYNAMIC =
      Setting.derived(
          "dynamic",
          new Words.Flag(),
          "true without upstreams, false with",
          EndpointSettings::permit,
          "Whether each unknown path below becomes an endpoint of its own.");

  static final Setting<Long> MAX_DYNAMIC_ENDPOINTS =
      Setting.fixed(
          "max_dynamic_endpoints",
          new Numbers.Whole(0, 1_000_000),
          1000L,
          "Endpoints that unknown paths may become, in all; beyond, their ancestor serves.");

  static final Setting<Boolean> STRIP_PREFIX =
      Setting.fixed(
          "strip_prefix",
          new Words.Flag(),
          true,
          "Whether the endpoint's path is removed before forwarding.");

  static final Setting<List<Section>> UPSTREAMS =
      Setting.fixed(
          "upstreams",
          new Listing("upstream", UpstreamSettings.TABLE),
          List.of(),
          "Where requests go; without any the endpoint answers by itself.");

  /** The settings of an endpoint, in display order. */
  static final List<Setting<?>> TABLE =
      List.of(
          PATH,
          DIALECT,
          ALGORITHM,
          RATE,
          UNIT,
          BURST_SIZE,
          WINDOW_SECONDS,
          TOKENS_PER_WINDOW,
          DEFAULT_TOKENS,
          LATENCY_COMPENSATION,
          SCHEDULER,
          PRIORITY_AGING_SECONDS,
          FAIR_BY,
          MAX_QUEUE_SIZE,
          MAX_QUEUED_TOKENS,
          MAX_QUEUED_BYTES,
          OVERFLOW,
          MAX_BLOCKED,
          QUEUE_TIMEOUT,
          MAX_WAIT,
          MAX_SKIPS,
          HEARTBEAT_SECONDS,
          COST_FROM,
          DEFAULT_OUTPUT_TOKENS,
          MAX_BODY_BYTES,
          MAX_UPLOAD_BYTES,
          AFFINITY,
          UPGRADE,
          EXPOSE_UPSTREAM_LIMITS,
          SHADOW,
          DYNAMIC,
          STRIP_PREFIX,
          SharingSetting.SHARING,
          UPSTREAMS);

  /** The settings of {@code defaults}. */
  static final List<Setting<?>> DEFAULTS =
      Stream.concat(
              TABLE.stream().filter(setting -> !setting.name().equals(PATH.name())),
              Stream.of(MAX_DYNAMIC_ENDPOINTS))
          .toList();

  private EndpointSettings() {}

  private static EndpointSpec.Affinity affinityOf(Dialect dialect) {
    return switch (dialect) {
      case OPENAI, AZURE -> new EndpointSpec.Affinity.Auto();
      case ANTHROPIC, GEMINI, NONE -> new EndpointSpec.Affinity.None();
    };
  }

  private static boolean permit(Values values) {
    return values.get(EndpointSettings.UPSTREAMS).isEmpty();
  }

  private static <T> Optional<T> with(Values values, LimitAlgorithm limitAlgorithm, T value) {
    return values.get(ALGORITHM) == limitAlgorithm ? Optional.of(value) : Optional.empty();
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
