package io.penstock.mock;

import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings in a {@code mock://} address. Equal addresses denote the same provider. The values
 * that they can have are in {@link MockParameter}.
 *
 * @param format the format of the provider to imitate
 * @param latencyNanos from a request's last byte to the answer's first
 * @param tokens number of tokens of an answer if the request states no lower maximum
 * @param tokensPerSecond speed of each answer; 0 sends everything at once
 * @param limits the limits of each model
 * @param errorRate the share of admitted requests that is answered with status 500, in steps of
 *     10^-9
 * @param announces whether answers state what is left of the limits; a refusal always states when
 *     to retry
 * @param cache the cache of prompts
 * @param callsTools whether an answer calls a tool that the request merely offers
 */
public record MockAddress(
    MockFormat format,
    long latencyNanos,
    int tokens,
    double tokensPerSecond,
    Limits limits,
    double errorRate,
    boolean announces,
    Cache cache,
    boolean callsTools) {

  /**
   * The limits of each model in any trailing window; 0 is unlimited.
   *
   * @param rpm requests
   * @param tpm tokens
   * @param itpm uncached input tokens
   * @param windowNanos the length of that window; the limits are not scaled by it
   */
  public record Limits(long rpm, long tpm, long itpm, long windowNanos) {}

  /**
   * The cache of prompts.
   *
   * @param tokens the fewest tokens of a prompt's beginning that the provider caches; 0 caches
   *     nothing, and so does every provider but Anthropic
   * @param lifeNanos how long a cached beginning is kept after its last use
   */
  public record Cache(int tokens, long lifeNanos) {}

  private static final Set<String> NAMES =
      MockParameter.ALL.stream()
          .map(MockParameter::name)
          .collect(Collectors.toCollection(TreeSet::new));

  public MockAddress {
    if (cache.tokens() > 0 && format != MockFormat.ANTHROPIC) {
      throw new IllegalArgumentException(
          "mock address: cache is " + cache.tokens() + ", expected it for anthropic only");
    }
  }

  /**
   * Parses an address such as {@code mock://openai?latency=200ms&tokens=50&tps=100}.
   *
   * @throws IllegalArgumentException if a parameter is wrong; the message names it and what was
   *     expected
   */
  public static MockAddress parse(URI uri) {
    MockFormat format = format(uri);
    Map<String, String> texts = values(uri.getQuery());
    MockParameter.ALL.forEach(each -> each.read(texts)); // a wrong form is told before a range
    return new MockAddress(
        format,
        (long) MockParameter.LATENCY.value(texts),
        (int) MockParameter.TOKENS.value(texts),
        MockParameter.TPS.value(texts),
        new Limits(
            (long) MockParameter.RPM.value(texts),
            (long) MockParameter.TPM.value(texts),
            (long) MockParameter.ITPM.value(texts),
            (long) MockParameter.WINDOW.value(texts)),
        MockParameter.ERROR_RATE.value(texts),
        MockParameter.HEADERS.value(texts) == 0,
        new Cache(
            (int) MockParameter.CACHE.value(texts), (long) MockParameter.CACHE_LIFE.value(texts)),
        MockParameter.TOOLS.value(texts) == 1);
  }

  private static MockFormat format(URI uri) {
    if (!"mock".equals(uri.getScheme())) {
      throw new IllegalArgumentException(
          "mock address: scheme is " + quoted(uri.getScheme()) + ", expected mock");
    }
    String path = uri.getPath();
    if (path != null && !path.isEmpty() && !path.equals("/")) {
      throw new IllegalArgumentException(
          "mock address: path is " + quoted(path) + ", expected none");
    }
    if (uri.getFragment() != null) {
      throw new IllegalArgumentException(
          "mock address: fragment is " + quoted(uri.getFragment()) + ", expected none");
    }
    String provider = uri.getAuthority();
    return switch (provider == null ? "" : provider) {
      case "openai" -> MockFormat.OPENAI;
      case "anthropic" -> MockFormat.ANTHROPIC;
      case "gemini" -> MockFormat.GEMINI;
      default ->
          throw new IllegalArgumentException(
              "mock address: provider is "
                  + quoted(provider)
                  + ", expected openai, anthropic or gemini");
    };
  }

  private static Map<String, String> values(@Nullable String query) {
    Map<String, String> values = new HashMap<>();
    if (query == null || query.isEmpty()) {
      return values;
    }
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = equals < 0 ? pair : pair.substring(0, equals);
      if (!NAMES.contains(name)) {
        throw new IllegalArgumentException(
            "mock address: unknown parameter " + quoted(name) + ", expected one of " + NAMES);
      }
      if (values.put(name, equals < 0 ? "" : pair.substring(equals + 1)) != null) {
        throw new IllegalArgumentException(
            "mock address: " + name + " is given twice, expected it once");
      }
    }
    return values;
  }

  static String quoted(@Nullable String text) {
    if (text == null) {
      return "missing";
    }
    return "'" + (text.length() <= 40 ? text : text.substring(0, 40) + "…") + "'";
  }
}
