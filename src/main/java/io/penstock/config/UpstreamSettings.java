package io.penstock.config;

import io.penstock.config.shape.AddressSetting;
import io.penstock.config.shape.CredentialSetting;
import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.FileSection;
import io.penstock.config.shape.HeadersSetting;
import io.penstock.config.shape.ModelsSetting;
import io.penstock.config.shape.NumberShapes;
import io.penstock.config.shape.ProxySetting;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.SectionList;
import io.penstock.config.shape.WordShapes;
import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.PoolTariff;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.UpstreamSpec.Access;
import io.penstock.pool.UpstreamSpec.Budget;
import io.penstock.pool.UpstreamSpec.Day;
import io.penstock.pool.UpstreamSpec.Limits;
import io.penstock.pool.UpstreamSpec.Link;
import io.penstock.pool.UpstreamSpec.SharedPool;
import io.penstock.pool.UpstreamSpec.Timeouts;
import io.penstock.pool.UpstreamSpec.Tls;
import java.math.BigDecimal;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The settings of {@code upstreams[]}. */
final class UpstreamSettings {
  private static final NumberShapes.Whole LIMIT = new NumberShapes.Whole(0, Cost.MAX_TOKENS);
  private static final NumberShapes.Seconds TIMEOUT = NumberShapes.Seconds.above(0, 86_400);
  private static final long SECOND = 1_000_000_000;

  static final RouteSetting<String> ID =
      RouteSetting.required(
          "id", new WordShapes.Identifier(), "Its name; used twice, it is the same upstream.");

  static final RouteSetting<URI> URL =
      RouteSetting.required(
          "url", new AddressSetting(), "Where it is: http, https, or the built-in mock.");

  static final RouteSetting<CredentialSetting> API_KEY =
      RouteSetting.unset(
          "api_key",
          new CredentialSetting.Key(),
          "none is sent",
          "The credential sent to it, or passthrough for the client's own; where its variable is"
              + " not set the upstream is disabled.");

  static final RouteSetting<Map<String, HeadersSetting.Header>> HEADERS =
      RouteSetting.fixed(
          "headers", new HeadersSetting(), Map.of(), "Headers set on every request to it.");

  static final RouteSetting<Map<String, String>> MODELS =
      RouteSetting.unset(
          "models",
          new ModelsSetting(),
          "any model",
          "The models it serves: a list, or aliases and its own names.");

  static final RouteSetting<Long> WEIGHT =
      RouteSetting.fixed(
          "weight",
          new NumberShapes.Whole(1, 1_000_000),
          1L,
          "Breaks ties between equally used upstreams.");

  static final RouteSetting<Long> RPM = limit("rpm", "Requests").alsoCalled("rpm_limit");
  static final RouteSetting<Long> TPM =
      limit("tpm", "Tokens, as charge counts them,").alsoCalled("tpm_limit");
  static final RouteSetting<Long> ITPM = limit("itpm", "Input tokens");
  static final RouteSetting<Long> OTPM = limit("otpm", "Output tokens");

  static final RouteSetting<Long> RPD =
      RouteSetting.fixed("rpd", LIMIT, 0L, "Requests a day, per model; 0 is unlimited.");

  static final RouteSetting<Long> CONCURRENCY =
      RouteSetting.fixed(
          "concurrency", LIMIT, 0L, "Requests at the same time, per model; 0 is unlimited.");

  static final RouteSetting<List<FileSection>> LIMITS =
      RouteSetting.fixed(
          "limits",
          new SectionList("pool", PoolSettings.TABLE),
          List.of(),
          "What some of its models may be sent together, in the place of limits per model.");

  static final RouteSetting<ChargeRule> CHARGE =
      RouteSetting.derived(
          "charge",
          WordShapes.Choice.of(
              List.of(
                  ChargeRule.OPENAI,
                  ChargeRule.AZURE,
                  ChargeRule.ANTHROPIC,
                  ChargeRule.GEMINI,
                  ChargeRule.BEDROCK,
                  ChargeRule.TOTAL),
              UpstreamSettings::lower),
          "that of its dialect, total for none",
          effectiveValues -> effectiveValues.get(EndpointSettings.DIALECT).charge(),
          "How its provider counts the tokens of a request.");

  static final RouteSetting<Day> DAY =
      RouteSetting.derived(
          "day",
          WordShapes.Choice.of(List.of(Day.values()), UpstreamSettings::lower),
          "pacific with charge gemini, else first_use",
          effectiveValues ->
              effectiveValues.get(CHARGE).daysAreOfPacific() ? Day.PACIFIC : Day.FIRST_USE,
          "When the day of a daily limit begins: with its first request, or at midnight.");

  static final RouteSetting<Boolean> SETTLE =
      RouteSetting.fixed(
          "settle",
          WordShapes.Choice.of(List.of(false, true), usage -> usage ? "usage" : "profile"),
          false,
          "Whether what its provider keeps charged is settled by the usage all the same.");

  static final RouteSetting<Boolean> INJECT_USAGE =
      RouteSetting.fixed(
          "inject_usage",
          new WordShapes.Flag(),
          true,
          "Whether streams are asked to state their usage when the client did not.");

  static final RouteSetting<BigDecimal> GUARD =
      RouteSetting.fixed(
          "guard",
          NumberShapes.Fraction.from("0", 60_000),
          BigDecimal.valueOf(50),
          "Milliseconds by which its windows are widened.");

  static final RouteSetting<BigDecimal> BURST_SECONDS =
      RouteSetting.fixed(
          "burst_seconds",
          NumberShapes.Fraction.above(0, 60),
          BigDecimal.valueOf(5),
          "Seconds' worth of a minute limit that may go at once.");

  static final RouteSetting<Long> CACHE_TRUST =
      RouteSetting.fixed(
          "cache_trust",
          new NumberShapes.Whole(0, 100),
          (long) PoolTariff.CACHE_TRUST,
          "Percent of a limit left uncharged at most for cache reads that no answer has confirmed"
              + " yet.");

  static final RouteSetting<Tls> TLS =
      RouteSetting.unset(
          "tls",
          new CertificatesSetting(),
          "what the platform trusts",
          "Certificates on the way to it.");

  static final RouteSetting<URI> PROXY =
      RouteSetting.unset("proxy", new ProxySetting(), "none", "The HTTP proxy on the way to it.");

  static final RouteSetting<Long> CONNECT_TIMEOUT =
      RouteSetting.fixed("connect_timeout", TIMEOUT, 5 * SECOND, "Seconds to connect.");

  static final RouteSetting<Long> FIRST_BYTE_TIMEOUT =
      RouteSetting.fixed(
          "first_byte_timeout", TIMEOUT, 600 * SECOND, "Seconds to the first byte of an answer.");

  static final RouteSetting<Long> STALL_TIMEOUT =
      RouteSetting.fixed(
          "stall_timeout", TIMEOUT, 120 * SECOND, "Seconds between two bytes of an answer.");

  static final RouteSetting<Long> MAX_CONNECTION_AGE =
      RouteSetting.fixed(
          "max_connection_age",
          TIMEOUT,
          300 * SECOND,
          "Seconds until a connection takes no further request.");

  /** The settings, in display order. */
  static final List<RouteSetting<?>> TABLE =
      List.of(
          ID,
          URL,
          API_KEY,
          HEADERS,
          MODELS,
          WEIGHT,
          RPM,
          TPM,
          ITPM,
          OTPM,
          RPD,
          CONCURRENCY,
          LIMITS,
          DAY,
          CHARGE,
          SETTLE,
          INJECT_USAGE,
          GUARD,
          BURST_SECONDS,
          CACHE_TRUST,
          SharingSetting.SHARING,
          TLS,
          PROXY,
          CONNECT_TIMEOUT,
          FIRST_BYTE_TIMEOUT,
          STALL_TIMEOUT,
          MAX_CONNECTION_AGE);

  private UpstreamSettings() {}

  private static RouteSetting<Long> limit(String name, String what) {
    return RouteSetting.fixed(
        name, LIMIT, 0L, what + " in any 60 seconds, per model; 0 is unlimited.");
  }

  /** Returns the upstream described by usable settings. */
  static UpstreamSpec spec(EffectiveValues values) {
    CredentialSetting credential = credential(values);
    return new UpstreamSpec(
        values.get(ID),
        values.get(URL),
        new Access(
            credential.secret(),
            credential.passthrough(),
            credential.disabledBecause(),
            HeadersSetting.values(values.get(HEADERS))),
        values.find(MODELS).orElse(Map.of()),
        Math.toIntExact(values.get(WEIGHT)),
        new Budget(
            limits(values),
            pools(values),
            values.get(DAY),
            values.get(CHARGE),
            values.get(SETTLE),
            NumberShapes.millisToNanos(values.get(GUARD)),
            values.get(BURST_SECONDS).doubleValue(),
            Math.toIntExact(values.get(CACHE_TRUST))),
        new Link(
            new Timeouts(
                values.get(CONNECT_TIMEOUT),
                values.get(FIRST_BYTE_TIMEOUT),
                values.get(STALL_TIMEOUT),
                values.get(MAX_CONNECTION_AGE)),
            values.find(TLS).orElse(null),
            values.find(PROXY).orElse(null)),
        values.get(INJECT_USAGE));
  }

  /** Returns the limits of an upstream, or of a pool: the settings have the same names. */
  private static Limits limits(EffectiveValues values) {
    return new Limits(
        values.get(RPM),
        values.get(TPM),
        values.get(ITPM),
        values.get(OTPM),
        values.get(RPD),
        values.get(CONCURRENCY));
  }

  private static List<SharedPool> pools(EffectiveValues upstream) {
    return upstream.sections(LIMITS, PoolSettings.TABLE).stream()
        .map(
            pool ->
                new SharedPool(
                    pool.get(PoolSettings.NAME),
                    Set.copyOf(pool.get(PoolSettings.MODELS)),
                    limits(pool)))
        .toList();
  }

  private static CredentialSetting credential(EffectiveValues values) {
    return values.find(API_KEY).orElse(CredentialSetting.NONE);
  }

  /**
   * Returns the settings in which two upstreams differ; empty if they are equal. How limits are
   * shared is compared elsewhere.
   */
  static List<String> differences(EffectiveValues a, EffectiveValues b) {
    return TABLE.stream()
        .filter(setting -> !setting.equals(ID) && !setting.equals(SharingSetting.SHARING))
        .filter(setting -> !meaning(setting, a).equals(meaning(setting, b)))
        .map(RouteSetting::name)
        .toList();
  }

  /** Returns what a setting makes of an upstream, however it is written. */
  private static Object meaning(RouteSetting<?> setting, EffectiveValues values) {
    if (setting.equals(API_KEY)) {
      return credential(values);
    }
    if (setting.equals(HEADERS)) {
      return HeadersSetting.values(values.get(HEADERS));
    }
    return setting.equals(LIMITS) ? pools(values) : values.find(setting);
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
