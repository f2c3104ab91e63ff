package io.penstock.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;
import tools.jackson.databind.JsonNode;

/**
 * Options for the terms of a key. A term that no option names is not sent: a new key gets its
 * default, and a known key keeps what it has.
 */
final class KeyOptions {
  private static final String UNLIMITED = "unlimited";
  private static final String NONE = "none";
  private static final String ALL = "all";
  private static final String NEVER = "never";
  private static final String DEFAULT = "default";
  private static final String LIMIT = "N|unlimited";
  private static final String MODEL_LIMIT = "MODEL=" + LIMIT;

  /** Parses a limit; the gateway's number for no limit is 0. */
  static final class Limit implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      if (text.equals(UNLIMITED)) {
        return 0L;
      }
      if (text.matches("\\d{1,18}")) {
        return Long.valueOf(text);
      }
      throw new TypeConversionException(
          "'" + text + "' is not a limit, expected a whole number or '" + UNLIMITED + "'");
    }
  }

  @Option(
      names = "--rpm",
      paramLabel = LIMIT,
      converter = Limit.class,
      description = "Most requests in any 60 s.")
  private @Nullable Long rpm;

  @Option(
      names = "--tpm",
      paramLabel = LIMIT,
      converter = Limit.class,
      description = "Most tokens, input and output, in any 60 s.")
  private @Nullable Long tpm;

  @Option(
      names = "--rpd",
      paramLabel = LIMIT,
      converter = Limit.class,
      description = "Most requests in 24 h from the first.")
  private @Nullable Long rpd;

  @Option(
      names = "--concurrency",
      paramLabel = LIMIT,
      converter = Limit.class,
      description = "Most requests at the same time.")
  private @Nullable Long concurrency;

  @Option(
      names = "--budget",
      paramLabel = LIMIT,
      converter = Limit.class,
      description = "Most tokens, input and output, in a UTC day.")
  private @Nullable Long budget;

  @Option(
      names = "--max-output-tokens",
      paramLabel = LIMIT,
      converter = Limit.class,
      description = "Most tokens of output that one request may state, or is assumed to.")
  private @Nullable Long maxOutputTokens;

  @Option(
      names = "--model-rpm",
      paramLabel = MODEL_LIMIT,
      converter = {TextConverter.class, Limit.class},
      description = "Most requests for a model in any 60 s; may be repeated.")
  private @Nullable Map<String, Long> modelRpm;

  @Option(
      names = "--model-tpm",
      paramLabel = MODEL_LIMIT,
      converter = {TextConverter.class, Limit.class},
      description = "Most tokens for a model in any 60 s; may be repeated.")
  private @Nullable Map<String, Long> modelTpm;

  @Option(
      names = "--models",
      paramLabel = "NAME|all",
      split = ",",
      splitSynopsisLabel = ",",
      description = "The models it may use, as clients name them.")
  private @Nullable List<String> models;

  @Option(
      names = "--endpoints",
      paramLabel = "PATH|all",
      split = ",",
      splitSynopsisLabel = ",",
      description = "The paths of endpoints it may use, with those below them.")
  private @Nullable List<String> endpoints;

  @Option(
      names = "--calls",
      paramLabel = "CALL|all",
      split = ",",
      splitSynopsisLabel = ",",
      description = "The calls it may make: weighed, and paths such as /v1/files.")
  private @Nullable List<String> calls;

  @Option(
      names = "--group",
      paramLabel = "NAME|none",
      description = "The group of the route files whose limits it shares.")
  private @Nullable String group;

  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "The priority of its requests that state none.")
  private @Nullable Integer priority;

  @Option(
      names = "--max-priority",
      paramLabel = "N|default",
      description = "The highest priority its requests can state; by default its priority.")
  private @Nullable String maxPriority;

  @Option(names = "--weight", paramLabel = "N", description = "Its part where shares are fair.")
  private @Nullable Integer weight;

  @Option(
      names = "--expires",
      paramLabel = "WHEN|never",
      description = "The instant, or the UTC day, such as 2027-01-31, at which it ends.")
  private @Nullable String expires;

  @Option(
      names = "--on-limit",
      paramLabel = "reject|wait",
      description = "Whether its requests are refused at its limits or wait for them.")
  private @Nullable String onLimit;

  @Option(
      names = "--strict-after-denial",
      paramLabel = "true|false",
      arity = "0..1",
      fallbackValue = "true",
      description =
          "Whether the shared count is asked for after a denial (with --on-limit reject and"
              + " --sharing eventual).")
  private @Nullable Boolean strictAfterDenial;

  @Option(
      names = "--sharing",
      paramLabel = "MODE|default",
      description = "How instances share its limits: exact, eventual or local.")
  private @Nullable String sharing;

  /** Passes the name of a model on. */
  static final class TextConverter implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      return text;
    }
  }

  /** Returns whether limits for models were given, which are merged with those of the key. */
  boolean limitsModels() {
    return modelRpm != null || modelTpm != null;
  }

  /**
   * Returns the given terms under the gateway's names; null stands for the value of a new key.
   *
   * @param known the limits for models that the key has
   */
  Map<String, @Nullable Object> terms(JsonNode known) throws OperatorClient.Failed {
    Map<String, @Nullable Object> terms = new LinkedHashMap<>();
    put(terms, "rpm", rpm);
    put(terms, "tpm", tpm);
    put(terms, "rpd", rpd);
    put(terms, "concurrency", concurrency);
    put(terms, "budget_tokens_per_day", budget);
    put(terms, "max_output_tokens", maxOutputTokens);
    if (limitsModels()) {
      terms.put("models", modelLimits(known));
    }
    put(terms, "allowed_models", models, ALL);
    put(terms, "allowed_endpoints", endpoints, ALL);
    put(terms, "calls", calls, ALL);
    put(terms, "group", group, NONE);
    put(terms, "priority", priority);
    if (maxPriority != null) {
      terms.put("max_priority", highest(maxPriority));
    }
    put(terms, "weight", weight);
    put(terms, "expires_at", expires, NEVER);
    put(terms, "on_limit", onLimit);
    put(terms, "strict_after_denial", strictAfterDenial);
    put(terms, "sharing", sharing, DEFAULT);
    return terms;
  }

  private static void put(
      Map<String, @Nullable Object> terms, String name, @Nullable Object value) {
    if (value != null) {
      terms.put(name, value);
    }
  }

  /** Adds a term that is sent as null where the option has the word for the value of a new key. */
  private static void put(
      Map<String, @Nullable Object> terms, String name, @Nullable Object value, String cleared) {
    if (value != null) {
      boolean clear = value.equals(cleared) || value.equals(List.of(cleared));
      terms.put(name, clear ? null : value);
    }
  }

  private static @Nullable Integer highest(String text) throws OperatorClient.Failed {
    try {
      return text.equals(DEFAULT) ? null : Integer.valueOf(text);
    } catch (NumberFormatException unreadable) {
      throw new OperatorClient.Failed(
          OperatorClient.Kind.WRONG_REQUEST,
          "--max-priority is '" + text + "', expected a whole number or '" + DEFAULT + "'");
    }
  }

  private Map<String, Map<String, Long>> modelLimits(JsonNode known) {
    Map<String, Map<String, Long>> limits = new LinkedHashMap<>();
    known
        .properties()
        .forEach(
            each -> {
              set(limits, each.getKey(), "rpm", each.getValue().path("rpm").asLong(0));
              set(limits, each.getKey(), "tpm", each.getValue().path("tpm").asLong(0));
            });
    if (modelRpm != null) {
      modelRpm.forEach((model, limit) -> set(limits, model, "rpm", limit));
    }
    if (modelTpm != null) {
      modelTpm.forEach((model, limit) -> set(limits, model, "tpm", limit));
    }
    limits.values().removeIf(each -> each.values().stream().allMatch(limit -> limit == 0));
    return limits;
  }

  private static void set(
      Map<String, Map<String, Long>> limits, String model, String name, long limit) {
    limits.computeIfAbsent(model, absent -> new LinkedHashMap<>()).put(name, limit);
  }
}
