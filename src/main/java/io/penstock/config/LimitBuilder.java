package io.penstock.config;

import static io.penstock.config.EndpointSettings.ALGORITHM;
import static io.penstock.config.EndpointSettings.BURST_SIZE;
import static io.penstock.config.EndpointSettings.DEFAULT_TOKENS;
import static io.penstock.config.EndpointSettings.LATENCY_COMPENSATION;
import static io.penstock.config.EndpointSettings.RATE;
import static io.penstock.config.EndpointSettings.TOKENS_PER_WINDOW;
import static io.penstock.config.EndpointSettings.UNIT;
import static io.penstock.config.EndpointSettings.UPSTREAMS;
import static io.penstock.config.EndpointSettings.WINDOW_SECONDS;

import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.NumberShapes;
import io.penstock.config.shape.RouteSetting;
import io.penstock.cost.Cost;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.SharingMode;
import io.penstock.sharing.SharingTerms;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;

/** Checks the settings of one endpoint's own limit for consistency, and builds the limit. */
final class LimitBuilder {
  private static final BigInteger SECOND = BigInteger.valueOf(1_000_000_000);

  private final EffectiveValues values;
  private final FaultCollector faultCollector;

  LimitBuilder(EffectiveValues values, FaultCollector faultCollector) {
    this.values = values;
    this.faultCollector = faultCollector;
  }

  /** Returns the limit, or adds faults for settings that do not have one yet. */
  Optional<LimitSpec> build() {
    if (!values.usable(ALGORITHM, UPSTREAMS)) {
      return Optional.empty();
    }
    return switch (values.get(ALGORITHM)) {
      case NONE -> Optional.of(new LimitSpec.Unlimited());
      case STRICT -> rate().flatMap(this::strict);
      case TOKEN_BUCKET -> rate().flatMap(this::bucket);
      case SLIDING_WINDOW -> rate().flatMap(this::sliding);
      case TOKEN_WINDOW -> window();
    };
  }

  private Optional<ExactRate> rate() {
    if (!values.usable(RATE, UNIT)) {
      return Optional.empty();
    }
    BigDecimal rate = values.get(RATE);
    long unitSeconds = values.get(UNIT);
    try {
      return Optional.of(
          ExactRate.of(
              values.rls() ? RlsCompatibility.coarse(rate, unitSeconds) : rate, unitSeconds));
    } catch (IllegalArgumentException e) {
      faultCollector.add(values.placeOfAny(RATE, UNIT), String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  private Optional<LimitSpec> strict(ExactRate exactRate) {
    return values.usable(LATENCY_COMPENSATION)
        ? Optional.of(
            new LimitSpec.Strict(
                exactRate, NumberShapes.millisToNanos(values.get(LATENCY_COMPENSATION))))
        : Optional.empty();
  }

  private Optional<LimitSpec> bucket(ExactRate exactRate) {
    return values.usable(BURST_SIZE)
        ? Optional.of(new LimitSpec.TokenBucket(exactRate, values.get(BURST_SIZE)))
        : Optional.empty();
  }

  private Optional<LimitSpec> sliding(ExactRate exactRate) {
    if (!values.usable(WINDOW_SECONDS)) {
      return Optional.empty();
    }
    long nanos = values.get(WINDOW_SECONDS);
    BigInteger capacity =
        BigInteger.valueOf(exactRate.releases())
            .multiply(BigInteger.valueOf(nanos))
            .divide(BigInteger.valueOf(exactRate.seconds()).multiply(SECOND))
            .max(BigInteger.ONE);
    if (capacity.compareTo(BigInteger.valueOf(Cost.MAX_TOKENS)) > 0) {
      faultCollector.add(
          values.placeOfAny(WINDOW_SECONDS, RATE, UNIT),
          "rate and window_seconds make %d requests a window, expected at most %d"
              .formatted(capacity, Cost.MAX_TOKENS));
      return Optional.empty();
    }
    if (nanos < SharingTerms.SHORTEST_EXACT_NANOS && exact()) {
      faultCollector.add(
          values.placeOfAny(SharingSetting.SHARING, WINDOW_SECONDS),
          "sharing is 'exact', but windows of sliding_window are %s s, expected at least 10,"
                  .formatted(NumberShapes.seconds(nanos).toPlainString())
              + " or sharing eventual or local");
      return Optional.empty();
    }
    return Optional.of(new LimitSpec.SlidingWindow(capacity.longValueExact(), nanos));
  }

  private boolean exact() {
    return values.usable(SharingSetting.SHARING)
        && values.find(SharingSetting.SHARING).orElse(null) == SharingMode.EXACT;
  }

  private Optional<LimitSpec> window() {
    boolean complete = required(TOKENS_PER_WINDOW);
    complete &= required(WINDOW_SECONDS); // evaluates both, so that both faults are found
    if (!complete || !values.usable(TOKENS_PER_WINDOW, WINDOW_SECONDS)) {
      return Optional.empty();
    }
    long capacity = values.get(TOKENS_PER_WINDOW);
    if (values.usable(DEFAULT_TOKENS) && values.get(DEFAULT_TOKENS) > capacity) {
      faultCollector.add(
          values.placeOfAny(DEFAULT_TOKENS, TOKENS_PER_WINDOW),
          "default_tokens is %d, expected at most tokens_per_window, %d"
              .formatted(values.get(DEFAULT_TOKENS), capacity));
    }
    return Optional.of(new LimitSpec.FixedWindow(capacity, values.get(WINDOW_SECONDS)));
  }

  private boolean required(RouteSetting<?> setting) {
    boolean present = !values.usable(setting) || values.set(setting).isPresent();
    if (!present) {
      faultCollector.add(
          values.place(ALGORITHM),
          "algorithm token_window has no " + setting.name() + ", expected it to be set");
    }
    return present;
  }
}
