package io.penstock.config;

import io.penstock.config.shape.AffinitySetting;
import io.penstock.config.shape.CallsSetting;
import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.EndpointPath;
import io.penstock.config.shape.FileSection;
import io.penstock.config.shape.FlowSetting;
import io.penstock.config.shape.LocatedValue;
import io.penstock.config.shape.NumberShapes;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.SectionList;
import io.penstock.config.shape.WithheldHeadersSetting;
import io.penstock.config.shape.WordShapes;
import io.penstock.cost.AllowedCalls;
import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.cost.ExcessOutput;
import io.penstock.dialect.DialectTable;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.Descendants;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Fallback;
import io.penstock.endpoint.EndpointSpec.Forwarding;
import io.penstock.endpoint.EndpointSpec.Heartbeats;
import io.penstock.endpoint.EndpointSpec.Parameters;
import io.penstock.endpoint.EndpointSpec.PassedHeaders;
import io.penstock.endpoint.EndpointSpec.Reading;
import io.penstock.endpoint.EndpointSpec.RouteEntry;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointSpec.UpstreamOrder;
import io.penstock.endpoint.EndpointSpec.Waiting;
import io.penstock.endpoint.EndpointSpec.Warmup;
import io.penstock.endpoint.WithheldHeaders;
import io.penstock.key.KeySpec;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.ProviderProtocol;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The settings of {@code endpoints[]} and {@code defaults}. */
final class EndpointSettings {
  private static final long SECOND = 1_000_000_000;
  private static final long MIB = 1L << 20;
  private static final long YEAR_SECONDS = 31_536_000;
  private static final long COUNT = Integer.MAX_VALUE;

  static final RouteSetting<String> PATH =
      RouteSetting.required("path", new EndpointPath(), "Where clients find the endpoint.");

  static final RouteSetting<String> NOTE =
      RouteSetting.unset(
          "note",
          new WordShapes.Line(
              "a text of one line, up to 200 characters", "a text of one line", 200),
          "none",
          "What operators should know of the endpoint, shown in the console.");

  static final RouteSetting<ProviderProtocol> DIALECT =
      RouteSetting.fixed(
          "dialect",
          WordShapes.Choice.of(DialectTable.ALL, Dialect::text),
          DialectTable.NONE,
          "How cost and usage are read.");

  static final RouteSetting<LimitAlgorithm> ALGORITHM =
      RouteSetting.derived(
          "algorithm",
          WordShapes.Choice.of(List.of(LimitAlgorithm.values()), LimitAlgorithm::text),
          "none with upstreams, else strict",
          effectiveValues -> permit(effectiveValues) ? LimitAlgorithm.STRICT : LimitAlgorithm.NONE,
          "The endpoint's own limit, beside those of its upstreams.");

  static final RouteSetting<BigDecimal> RATE =
      RouteSetting.fixed(
          "rate",
          NumberShapes.Fraction.above(0, 1_000_000_000),
          BigDecimal.ONE,
          "Requests per unit (strict, token_bucket, sliding_window).");

  static final RouteSetting<Long> UNIT =
      RouteSetting.fixed(
          "unit",
          WordShapes.Choice.of(List.of(1L, 60L), seconds -> seconds == 1 ? "rps" : "rpm"),
          1L,
          "Unit of the rate: requests a second or a minute.");

  static final RouteSetting<QueueOrder> SCHEDULER =
      RouteSetting.fixed(
          "scheduler",
          WordShapes.Choice.of(List.of(QueueOrder.values()), o -> lower(o)),
          QueueOrder.FIFO,
          "In which order requests leave.");

  static final RouteSetting<UpstreamOrder> ORDER =
      RouteSetting.fixed(
          "order",
          WordShapes.Choice.of(List.of(UpstreamOrder.values()), o -> lower(o)),
          UpstreamOrder.LEAST_USED,
          "Which upstream takes a request that several could take: the least used, or the first.");

  static final RouteSetting<Long> PRIORITY_AGING_SECONDS =
      RouteSetting.fixed(
          "priority_aging_seconds",
          NumberShapes.Seconds.from("0", YEAR_SECONDS),
          30 * SECOND,
          "Seconds of waiting that count as one more priority (priority); 0 is off.");

  static final RouteSetting<FairBy> FAIR_BY =
      RouteSetting.fixed(
          "fair_by", new FlowSetting(), new FairBy.Key(), "What tells the flows apart (fair).");

  static final RouteSetting<Long> BURST_SIZE =
      RouteSetting.sometimes(
          "burst_size",
          new NumberShapes.Whole(1, 1_000_000_000),
          "1 for token_bucket, else none",
          effectiveValues -> with(effectiveValues, LimitAlgorithm.TOKEN_BUCKET, 1L),
          "Requests that the bucket holds (token_bucket).");

  static final RouteSetting<Long> WINDOW_SECONDS =
      RouteSetting.sometimes(
          "window_seconds",
          NumberShapes.Seconds.from("0.001", YEAR_SECONDS),
          "1 for sliding_window, else none; required for token_window",
          effectiveValues -> with(effectiveValues, LimitAlgorithm.SLIDING_WINDOW, SECOND),
          "Length of a window, in seconds (sliding_window, token_window).");

  static final RouteSetting<BigDecimal> LATENCY_COMPENSATION =
      RouteSetting.fixed(
          "latency_compensation",
          NumberShapes.Fraction.from("0", 3_600_000),
          BigDecimal.ZERO,
          "Milliseconds by which a release may come before its slot (strict).");

  static final RouteSetting<Long> TOKENS_PER_WINDOW =
      RouteSetting.unset(
          "tokens_per_window",
          new NumberShapes.Whole(1, Cost.MAX_TOKENS),
          "none; required for token_window",
          "Input and output tokens released in one window (token_window).");

  static final RouteSetting<Long> DEFAULT_TOKENS =
      RouteSetting.fixed(
          "default_tokens",
          new NumberShapes.Whole(0, Cost.MAX_TOKENS),
          1L,
          "Input tokens of a request when nothing better is known.");

  static final RouteSetting<Long> MAX_QUEUE_SIZE =
      RouteSetting.fixed(
          "max_queue_size", new NumberShapes.Whole(1, COUNT), 1000L, "Requests that may wait.");

  static final RouteSetting<Long> MAX_QUEUED_TOKENS =
      RouteSetting.fixed(
          "max_queued_tokens",
          new NumberShapes.Whole(0, Cost.MAX_TOKENS),
          0L,
          "Tokens that may wait; 0 is unlimited.");

  static final RouteSetting<Long> MAX_QUEUED_BYTES =
      RouteSetting.fixed(
          "max_queued_bytes",
          new NumberShapes.Whole(1, 1L << 50),
          256 * MIB,
          "Bytes of bodies that may wait.");

  static final RouteSetting<Boolean> OVERFLOW =
      RouteSetting.fixed(
          "overflow",
          WordShapes.Choice.of(List.of(false, true), block -> block ? "block" : "reject"),
          false,
          "What happens to a request when the queue is full: refused, or held until there is"
              + " room.");

  static final RouteSetting<Long> MAX_BLOCKED =
      RouteSetting.fixed(
          "max_blocked",
          new NumberShapes.Whole(0, COUNT),
          1000L,
          "Requests that are held when the queue is full (overflow block).");

  static final RouteSetting<Long> QUEUE_TIMEOUT =
      RouteSetting.fixed(
          "queue_timeout",
          NumberShapes.Seconds.from("0", YEAR_SECONDS),
          0L,
          "Seconds; refuse at arrival when the estimated wait is longer, and wait no longer; 0 is"
              + " off.");

  static final RouteSetting<Long> MAX_WAIT =
      RouteSetting.derived(
          "max_wait",
          NumberShapes.Seconds.from("0", YEAR_SECONDS),
          "290 with upstreams, else 0",
          effectiveValues -> permit(effectiveValues) ? 0L : 290 * SECOND,
          "Seconds that any request waits at most; 0 is unlimited.");

  static final RouteSetting<Long> PLACE_GRACE =
      RouteSetting.derived(
          "place_grace",
          NumberShapes.Seconds.from("0", 3_600),
          "10 with upstreams, else 0",
          effectiveValues -> permit(effectiveValues) ? 0L : 10 * SECOND,
          "Seconds for which a request that was lost while it waited keeps its place for a repeat;"
              + " 0 is not at all.");

  static final RouteSetting<Long> RETRY_AFTER_MAX =
      RouteSetting.derived(
          "retry_after_max",
          new NumberShapes.Whole(0, YEAR_SECONDS),
          "59 with dialect anthropic, else 0",
          effectiveValues -> effectiveValues.get(DIALECT).retryAfterMaxSeconds(),
          "Seconds; Retry-After advises no longer time, for clients that give up above it; 0 is no"
              + " cap.");

  static final RouteSetting<Long> LIGHT_RPM =
      RouteSetting.fixed(
          "light_rpm",
          new NumberShapes.Whole(0, Cost.MAX_TOKENS),
          KeySpec.Limits.LIGHT_RPM,
          "Calls that cost nothing in any 60 seconds, where requests have no keys; 0 is"
              + " unlimited.");

  static final RouteSetting<Long> MAX_SKIPS =
      RouteSetting.fixed(
          "max_skips",
          new NumberShapes.Whole(0, 1_000_000),
          64L,
          "How often smaller requests may pass a waiting one.");

  static final RouteSetting<Long> HEARTBEAT_SECONDS =
      RouteSetting.fixed(
          "heartbeat_seconds",
          NumberShapes.Seconds.from("0", 86_400),
          15 * SECOND,
          "Seconds between two signs of life to a streaming request that waits; 0 is off.");

  static final RouteSetting<Long> HEARTBEAT_AFTER =
      RouteSetting.derived(
          "heartbeat_after",
          NumberShapes.Seconds.from("0", 86_400),
          "heartbeat_seconds if that is set, else 45",
          effectiveValues ->
              effectiveValues.set(HEARTBEAT_SECONDS).map(LocatedValue::value).orElse(45 * SECOND),
          "Seconds that a streaming request waits before its first sign of life, which begins the"
              + " answer with status 200.");

  static final RouteSetting<CostSource> COST_FROM =
      RouteSetting.derived(
          "cost_from",
          WordShapes.Choice.of(List.of(CostSource.values()), c -> lower(c)),
          "body with a dialect, else query",
          effectiveValues ->
              effectiveValues.get(DIALECT).readsBodies() ? CostSource.BODY : CostSource.QUERY,
          "Where the cost of a request is read; max takes the larger.");

  static final RouteSetting<Boolean> SHORT_PARAMETERS =
      RouteSetting.derived(
          "short_parameters",
          new WordShapes.Flag(),
          "true without upstreams and in files of rls, else false",
          values -> values.rls() || permit(values),
          "Whether requests may use short names, such as ?timeout= and X-Priority; if not, those"
              + " are left to the upstream.");

  static final RouteSetting<Long> DEFAULT_OUTPUT_TOKENS =
      RouteSetting.fixed(
          "default_output_tokens",
          new NumberShapes.Whole(0, Cost.MAX_TOKENS),
          256L,
          "Output tokens expected when nothing is said and nothing is learned yet.");

  static final WordShapes.Choice<ExcessOutput> EXCESS_OUTPUT =
      WordShapes.Choice.of(List.of(ExcessOutput.values()), e -> lower(e));

  static final RouteSetting<ExcessOutput> MAX_OUTPUT =
      RouteSetting.fixed(
          "max_output",
          EXCESS_OUTPUT,
          ExcessOutput.REFUSE,
          "What happens to a stated maximum of output above what an upstream or the key allows:"
              + " the request is refused, or the maximum is lowered.");

  static final RouteSetting<Long> MAX_BODY_BYTES =
      RouteSetting.fixed(
          "max_body_bytes",
          new NumberShapes.Whole(1, 1024 * MIB),
          32 * MIB,
          "Largest body that is weighed, in bytes; a larger one is refused.");

  static final RouteSetting<Long> MAX_UPLOAD_BYTES =
      RouteSetting.fixed(
          "max_upload_bytes",
          new NumberShapes.Whole(1, 1L << 50),
          512 * MIB,
          "Largest body that is not weighed but streamed through, in bytes.");

  static final RouteSetting<AllowedCalls> CALLS =
      RouteSetting.fixed(
          "calls",
          new CallsSetting(),
          AllowedCalls.ALL,
          "The calls that go upstream: all, those that are weighed, or a list.");

  static final RouteSetting<EndpointSpec.Affinity> AFFINITY =
      RouteSetting.derived(
          "affinity",
          new AffinitySetting(),
          "auto with dialect "
              + WordShapes.oneOf(DialectTable.names(ProviderProtocol::keepsAnswers))
              + ", else none",
          effectiveValues -> affinityOf(effectiveValues.get(DIALECT)),
          "What keeps requests to one upstream; auto: what an earlier answer named; prefix: a"
              + " cached prompt.");

  static final RouteSetting<Long> CACHE_WARMUP =
      RouteSetting.fixed(
          "cache_warmup",
          NumberShapes.Seconds.from("0", 60),
          5 * SECOND,
          "Seconds that requests wait at most for one that warms a cache for them; 0 is none.");

  static final RouteSetting<Boolean> CACHE_WARMUP_SCOPE =
      RouteSetting.fixed(
          "cache_warmup_scope",
          WordShapes.Choice.of(List.of(true, false), perKey -> perKey ? "key" : "upstream"),
          true,
          "Which requests do so for each other: those of one key, or all.");

  static final RouteSetting<Boolean> UPGRADE =
      RouteSetting.fixed(
          "upgrade",
          WordShapes.Choice.of(List.of(true, false), pass -> pass ? "pass" : "refuse"),
          true,
          "Whether connections may become another protocol, such as WebSocket.");

  static final RouteSetting<Boolean> EXPOSE_UPSTREAM_LIMITS =
      RouteSetting.fixed(
          "expose_upstream_limits",
          new WordShapes.Flag(),
          false,
          "Whether answers tell what is left of the limits of their upstream.");

  static final RouteSetting<Set<String>> FORWARD_HEADERS =
      RouteSetting.fixed(
          "forward_headers",
          new WithheldHeadersSetting(WithheldHeaders.OF_REQUESTS),
          Set.of(),
          "Headers of requests that upstreams get although they are kept back elsewhere: billing,"
              + " cookies and the client's address.");

  static final RouteSetting<Set<String>> ANSWER_HEADERS =
      RouteSetting.fixed(
          "answer_headers",
          new WithheldHeadersSetting(WithheldHeaders.OF_ANSWERS),
          Set.of(),
          "Headers of upstreams that clients get although they are kept back elsewhere, such as"
              + " set-cookie.");

  static final RouteSetting<Boolean> SHADOW =
      RouteSetting.fixed(
          "shadow",
          new WordShapes.Flag(),
          false,
          "Whether everything is decided, counted and logged, and nothing is held.");

  static final RouteSetting<Boolean> DYNAMIC =
      RouteSetting.derived(
          "dynamic",
          new WordShapes.Flag(),
          "true without upstreams, false with",
          EndpointSettings::permit,
          "Whether each unknown path below becomes an endpoint of its own.");

  static final RouteSetting<Long> MAX_DYNAMIC_ENDPOINTS =
      RouteSetting.fixed(
          "max_dynamic_endpoints",
          new NumberShapes.Whole(0, 1_000_000),
          1000L,
          "Endpoints that unknown paths may become, in all; beyond, their ancestor serves.");

  static final RouteSetting<Boolean> STRIP_PREFIX =
      RouteSetting.fixed(
          "strip_prefix",
          new WordShapes.Flag(),
          true,
          "Whether the endpoint's path is removed before forwarding.");

  static final RouteSetting<List<FileSection>> UPSTREAMS =
      RouteSetting.fixed(
          "upstreams",
          new SectionList("upstream", UpstreamSettings.TABLE),
          List.of(),
          "Where requests go; without any the endpoint answers by itself.");

  /** The settings of an endpoint, in display order. */
  static final List<RouteSetting<?>> TABLE =
      List.of(
          PATH,
          NOTE,
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
          PLACE_GRACE,
          RETRY_AFTER_MAX,
          LIGHT_RPM,
          MAX_SKIPS,
          HEARTBEAT_SECONDS,
          HEARTBEAT_AFTER,
          COST_FROM,
          SHORT_PARAMETERS,
          DEFAULT_OUTPUT_TOKENS,
          MAX_OUTPUT,
          MAX_BODY_BYTES,
          MAX_UPLOAD_BYTES,
          CALLS,
          ORDER,
          AFFINITY,
          CACHE_WARMUP,
          CACHE_WARMUP_SCOPE,
          UPGRADE,
          EXPOSE_UPSTREAM_LIMITS,
          FORWARD_HEADERS,
          ANSWER_HEADERS,
          SHADOW,
          DYNAMIC,
          STRIP_PREFIX,
          SharingSetting.SHARING,
          UPSTREAMS);

  /** The settings of {@code defaults}. */
  static final List<RouteSetting<?>> DEFAULTS =
      Stream.concat(
              TABLE.stream().filter(setting -> !setting.name().equals(PATH.name())),
              Stream.of(MAX_DYNAMIC_ENDPOINTS))
          .toList();

  private EndpointSettings() {}

  /**
   * Returns the endpoint described by usable settings.
   *
   * @param limit its own limit
   * @param upstreams its upstreams, in the order of their sections
   * @param fallbacks the fallback models, by the model asked for
   */
  static EndpointSpec spec(
      EffectiveValues values,
      LimitSpec limit,
      List<UpstreamSpec> upstreams,
      Map<String, Fallback> fallbacks) {
    Map<String, Object> shown = values.shown();
    shown.putIfAbsent(UPSTREAMS.name(), List.of());
    int most = Math.toIntExact(values.get(MAX_DYNAMIC_ENDPOINTS));
    long queuedTokens = values.get(MAX_QUEUED_TOKENS);
    return new EndpointSpec(
        values.get(PATH),
        new RouteEntry(
            values.get(PATH), new Descendants(values.get(DYNAMIC), most), shown, values.stated()),
        limit,
        new Scheduling(
            values.get(SCHEDULER),
            values.get(PRIORITY_AGING_SECONDS),
            Math.toIntExact(values.get(MAX_SKIPS)),
            values.get(FAIR_BY)),
        new Waiting(
            new QueueBounds(
                values.get(MAX_QUEUE_SIZE),
                queuedTokens == 0 ? QueueBounds.UNLIMITED : queuedTokens,
                values.get(MAX_QUEUED_BYTES)),
            values.get(OVERFLOW) ? Math.toIntExact(values.get(MAX_BLOCKED)) : 0,
            values.get(QUEUE_TIMEOUT),
            values.rls(),
            values.get(MAX_WAIT),
            values.get(PLACE_GRACE),
            new Heartbeats(values.get(HEARTBEAT_SECONDS), values.get(HEARTBEAT_AFTER)),
            values.get(RETRY_AFTER_MAX),
            values.get(LIGHT_RPM)),
        new Reading(
            values.get(DIALECT),
            values.get(COST_FROM),
            values.get(DEFAULT_TOKENS),
            values.get(DEFAULT_OUTPUT_TOKENS),
            values.get(MAX_BODY_BYTES),
            values.get(MAX_UPLOAD_BYTES),
            new Parameters(values.rls(), values.get(SHORT_PARAMETERS)),
            values.get(MAX_OUTPUT)),
        values.get(SHADOW),
        new Forwarding(
            upstreams,
            values.get(ORDER),
            fallbacks,
            values.get(STRIP_PREFIX),
            values.get(AFFINITY),
            new Warmup(values.get(CACHE_WARMUP), values.get(CACHE_WARMUP_SCOPE)),
            values.get(UPGRADE),
            new PassedHeaders(
                values.get(EXPOSE_UPSTREAM_LIMITS),
                values.get(FORWARD_HEADERS),
                values.get(ANSWER_HEADERS)),
            values.get(CALLS)));
  }

  private static EndpointSpec.Affinity affinityOf(ProviderProtocol dialect) {
    return dialect.keepsAnswers()
        ? new EndpointSpec.Affinity.Auto()
        : new EndpointSpec.Affinity.None();
  }

  private static boolean permit(EffectiveValues effectiveValues) {
    return effectiveValues.get(EndpointSettings.UPSTREAMS).isEmpty();
  }

  private static <T> Optional<T> with(
      EffectiveValues effectiveValues, LimitAlgorithm limitAlgorithm, T value) {
    return effectiveValues.get(ALGORITHM) == limitAlgorithm ? Optional.of(value) : Optional.empty();
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
