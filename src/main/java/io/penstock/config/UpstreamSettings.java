package io.penstock.config;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.pool.UpstreamSpec.Day;
import io.penstock.pool.UpstreamSpec.Tls;
import java.math.BigDecimal;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The settings of {@code upstreams[]}. */
final class UpstreamSettings {
  private static final Numbers.Whole LIMIT = new Numbers.Whole(0, Cost.MAX_TOKENS);
  private static final Numbers.Fraction TIMEOUT = Numbers.Fraction.above(0, 86_400);

  static final Setting<String> ID =
      Setting.required(
          "id", new Words.Identifier(), "Its name; used twice, it is the same upstream.");

  static final Setting<URI> URL =
      Setting.required("url", new Address(), "Where it is: http, https, or the built-in mock.");

  static final Setting<Credential> API_KEY =
      Setting.unset(
          "api_key",
          new Credential.Key(),
          "none is sent",
          "The credential sent to it, or passthrough for the client's own; where its variable is"
              + " not set the upstream is disabled.");

  static final Setting<Map<String, Headers.Header>> HEADERS =
      Setting.fixed("headers", new Headers(), Map.of(), "Headers set on every request to it.");

  static final Setting<Map<String, String>> MODELS =
      Setting.unset(
          "models",
          new Models(),
          "any model",
          "The models it serves: a list, or aliases and its own names.");

  static final Setting<Long> WEIGHT =
      Setting.fixed(
          "weight",
          new Numbers.Whole(1, 1_000_000),
          1L,
          "Breaks ties between equally used upstreams.");

  static final Setting<Long> RPM_LIMIT = limit("rpm_limit", "Requests");
  static final Setting<Long> TPM_LIMIT = limit("tpm_limit", "Tokens, as charge counts them,");
  static final Setting<Long> ITPM_LIMIT = limit("itpm_limit", "Input tokens");
  static final Setting<Long> OTPM_LIMIT = limit("otpm_limit", "Output tokens");

  static final Setting<Long> RPD_LIMIT =
      Setting.fixed("rpd_limit", LIMIT, 0L, "Requests a day, per model; 0 is unlimited.");

  static final Setting<Long> MAX_CONCURRENCY =
      Setting.fixed(
          "max_concurrency", LIMIT, 0L, "Requests at the same time, per model; 0 is unlimited.");

  static final Setting<List<Section>> LIMITS =
      Setting.fixed(
          "limits",
          new Listing("pool", PoolSettings.TABLE),
          List.of(),
          "What some of its models may be sent together, in the place of limits per model.");

  static final Setting<ChargeRule> CHARGE =
      Setting.derived(
          "charge",
          Words.Choice.of(
              List.of(
                  ChargeRule.OPENAI,
                  ChargeRule.AZURE,
                  ChargeRule.ANTHROPIC,
                  ChargeRule.GEMINI,
                  ChargeRule.BEDROCK,
                  ChargeRule.TOTAL),
              UpstreamSettings::lower),
          "that of its dialect, total for none",
          values -> chargeOf(values.get(EndpointSettings.DIALECT)),
          "How its provider counts the tokens of a request.");

  static final Setting<Day> DAY =
      Setting.derived(
          "day",
          Words.Choice.of(List.of(Day.values()), UpstreamSettings::lower),
          "pacific with charge gemini, else first_use",
          values -> values.get(CHARGE) == ChargeRule.GEMINI ? Day.PACIFIC : Day.FIRST_USE,
          "When the day of a daily limit begins: with its first request, or at midnight.");

  static final Setting<Boolean> SETTLE =
      Setting.fixed(
          "settle",
          Words.Choice.of(List.of(false, true), usage -> usage ? "usage" : "profile"),
          false,
          "Whether what its provider keeps charged is settled by the usage all the same.");

  static final Setting<Boolean> INJECT_USAGE =
      Setting.fixed(
          "inject_usage",
          new Words.Flag(),
          true,
          "Whether streams are asked to state their usage when the client did not.");

  static final Setting<BigDecimal> GUARD =
      Setting.fixed(
          "guard",
          Numbers.Fraction.from("0", 60_000),
          BigDecimal.valueOf(50),
          "Milliseconds by which its windows are widened.");

  static final Setting<BigDecimal> BURST_SECONDS =
      Setting.fixed(
          "burst_seconds",
          Numbers.Fraction.above(0, 60),
          BigDecimal.valueOf(5),
          "Seconds' worth of a minute limit that may go at once.");

  static final Setting<Tls> TLS =
      Setting.unset(
          "tls", new Certificates(), "what the platform trusts", "Certificates on the way to it.");

  static final Setting<URI> PROXY =
      Setting.unset("proxy", new Proxy(), "none", "The HTTP proxy on the way to it.");

  static final Setting<BigDecimal> CONNECT_TIMEOUT =
      Setting.fixed("connect_timeout", TIMEOUT, BigDecimal.valueOf(5), "Seconds to connect.");

  static final Setting<BigDecimal> FIRST_BYTE_TIMEOUT =
      Setting.fixed(
          "first_byte_timeout",
          TIMEOUT,
          BigDecimal.valueOf(600),
          "Seconds to the first byte of an answer.");

  static final Setting<BigDecimal> STALL_TIMEOUT =
      Setting.fixed(
          "stall_timeout",
          TIMEOUT,
          BigDecimal.valueOf(120),
          "Seconds between two bytes of an answer.");

  /** The settings, in display order. */
  static final List<Setting<?>> TABLE =
      List.of(
          ID,
          URL,
          API_KEY,
          HEADERS,
          MODELS,
          WEIGHT,
          RPM_LIMIT,
          TPM_LIMIT,
          ITPM_LIMIT,
          OTPM_LIMIT,
          RPD_LIMIT,
          MAX_CONCURRENCY,
          LIMITS,
          DAY,
          CHARGE,
          SETTLE,
          INJECT_USAGE,
          GUARD,
          BURST_SECONDS,
          SharingSetting.SHARING,
          TLS,
          PROXY,
          CONNECT_TIMEOUT,
          FIRST_BYTE_TIMEOUT,
          STALL_TIMEOUT);

  private UpstreamSettings() {}

  private static Setting<Long> limit(String name, String what) {
    return Setting.fixed(name, LIMIT, 0L, what + " in any 60 seconds, per model; 0 is unlimited.");
  }

  private static ChargeRule chargeOf(Dialect dialect) {
    return switch (dialect) {
      case OPENAI -> ChargeRule.OPENAI;
      case AZURE -> ChargeRule.AZURE;
      case ANTHROPIC -> ChargeRule.ANTHROPIC;
      case GEMINI -> ChargeRule.GEMINI;
      case NONE -> ChargeRule.TOTAL;
    };
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
