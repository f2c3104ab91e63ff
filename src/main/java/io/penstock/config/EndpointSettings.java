package io.penstock.config;

import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.endpoint.Algorithm;
import io.penstock.endpoint.CostFrom;
import io.penstock.queue.Order;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;

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
          Words.Choice.of(List.of(Dialect.values()), d -> lower(d), "gemini", "azure"),
          Dialect.NONE,
          "How cost and usage are read.");

  static final Setting<Algorithm> ALGORITHM =
      Setting.derived(
          "algorithm",
          Words.Choice.of(
              List.of(Algorithm.NONE, Algorithm.STRICT, Algorithm.TOKEN_WINDOW),
              Algorithm::text,
              "token_bucket",
              "sliding_window"),
          "none with upstreams, else strict",
          values -> permit(values) ? Algorithm.STRICT : Algorithm.NONE,
          "The endpoint's own limit, beside those of its upstreams.");

  static final Setting<BigDecimal> RATE =
      Setting.fixed(
          "rate",
          Numbers.Fraction.above(0, 1_000_000_000),
          BigDecimal.ONE,
          "Requests per unit (strict).");

  static final Setting<Long> UNIT =
      Setting.fixed(
          "unit",
          Words.Choice.of(List.of(1L, 60L), seconds -> seconds == 1 ? "rps" : "rpm"),
          1L,
          "Unit of the rate: requests a second or a minute.");

  static final Setting<Order> SCHEDULER =
      Setting.fixed(
          "scheduler",
          Words.Choice.of(
              List.of(Order.FIFO), o -> lower(o), "lifo", "priority", "random", "deadline", "fair"),
          Order.FIFO,
          "Who waits in front.");

  static final Setting<BigDecimal> WINDOW_SECONDS =
      Setting.unset(
          "window_seconds",
          Numbers.Fraction.from("0.001", YEAR_SECONDS),
          "none; required for token_window",
          "Length of a window, in seconds (token_window).");

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

  static final Setting<String> OVERFLOW =
      Setting.fixed(
          "overflow",
          Words.Choice.of(List.of("reject"), name -> name, "block"),
          "reject",
          "What happens to a request when the queue is full.");

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

  static final Setting<CostFrom> COST_FROM =
      Setting.derived(
          "cost_from",
          Words.Choice.of(List.of(CostFrom.values()), c -> lower(c), "provider"),
          "body with a dialect, else query",
          values -> values.get(DIALECT) == Dialect.NONE ? CostFrom.QUERY : CostFrom.BODY,
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

  /** The settings of an endpoint, in the order they are shown. */
  static final List<Setting<?>> TABLE =
      List.of(
          PATH,
          DIALECT,
          ALGORITHM,
          RATE,
          UNIT,
          WINDOW_SECONDS,
          TOKENS_PER_WINDOW,
          DEFAULT_TOKENS,
          SCHEDULER,
          MAX_QUEUE_SIZE,
          MAX_QUEUED_TOKENS,
          MAX_QUEUED_BYTES,
          OVERFLOW,
          QUEUE_TIMEOUT,
          MAX_WAIT,
          MAX_SKIPS,
          COST_FROM,
          DEFAULT_OUTPUT_TOKENS,
          MAX_BODY_BYTES,
          STRIP_PREFIX,
          UPSTREAMS);

  /** The settings of {@code defaults}. */
  static final List<Setting<?>> DEFAULTS =
      TABLE.stream().filter(setting -> !setting.name().equals(PATH.name())).toList();

  private EndpointSettings() {}

  private static boolean permit(Values values) {
    return values.get(EndpointSettings.UPSTREAMS).isEmpty();
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
