package io.penstock.mock;

import java.math.BigDecimal;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings in a {@code mock://} address. Equal addresses denote the same provider.
 *
 * @param format the format of the provider to imitate
 * @param latencyNanos from a request's last byte to the answer's first, 0 to one hour
 * @param tokens number of tokens of an answer if the request states no lower maximum, 1 to 100,000
 * @param tokensPerSecond speed of each answer, 0.001 to 10^9; 0 sends everything at once
 * @param rpm requests admitted in any trailing window, per model; 0 is unlimited
 * @param tpm tokens admitted in any trailing window, per model; 0 is unlimited
 * @param windowNanos the length of that window, 1 ms to one hour; the limits are not scaled by it
 * @param errorRate the share of admitted requests that is answered with status 500, 0 to 1, in
 *     steps of 10^-9
 * @param announces whether answers state what is left of the limits; a refusal always states when
 *     to retry
 * @param itpm uncached input tokens admitted in any trailing window, per model; 0 is unlimited
 * @param cacheTokens the fewest tokens of a prompt's beginning that the provider caches, 0 to
 *     100,000; 0 caches nothing, and so does every provider but Anthropic
 * @param cacheLifeNanos how long a cached beginning is kept after its last use, 1 ms to one hour
 */
public record MockAddress(
    MockFormat format,
    long latencyNanos,
    int tokens,
    double tokensPerSecond,
    long rpm,
    long tpm,
    long windowNanos,
    double errorRate,
    boolean announces,
    long itpm,
    long cacheTokens,
    long cacheLifeNanos) {

  private static final int MAX_TOKENS = 100_000;
  private static final double MIN_TOKENS_PER_SECOND = 0.001;
  private static final double MAX_TOKENS_PER_SECOND = 1e9;
  private static final long MAX_LIMIT = 1_000_000_000_000L;
  private static final long NANOS_PER_MILLI = 1_000_000L;
  private static final long NANOS_PER_HOUR = 3_600_000_000_000L;

  private static final Set<String> NAMES =
      MockParameter.ALL.stream()
          .map(MockParameter::name)
          .collect(Collectors.toCollection(TreeSet::new));
  private static final Pattern DURATION = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)(ms|s|m)");
  private static final Pattern INTEGER = Pattern.compile("\\d{1,18}");
  private static final Pattern DECIMAL = Pattern.compile("\\d{1,12}(?:\\.\\d{1,12})?");

  public MockAddress {
    check(MockParameter.LATENCY, latencyNanos >= 0 && latencyNanos <= NANOS_PER_HOUR);
    check(MockParameter.TOKENS, tokens >= 1 && tokens <= MAX_TOKENS);
    check(
        MockParameter.TPS,
        tokensPerSecond == 0
            || (tokensPerSecond >= MIN_TOKENS_PER_SECOND
                && tokensPerSecond <= MAX_TOKENS_PER_SECOND));
    check(MockParameter.RPM, rpm >= 0 && rpm <= MAX_LIMIT);
    check(MockParameter.TPM, tpm >= 0 && tpm <= MAX_LIMIT);
    check(MockParameter.WINDOW, windowNanos >= NANOS_PER_MILLI && windowNanos <= NANOS_PER_HOUR);
    check(MockParameter.ERROR_RATE, errorRate >= 0 && errorRate <= 1);
    check(MockParameter.ITPM, itpm >= 0 && itpm <= MAX_LIMIT);
    check(MockParameter.CACHE, cacheTokens >= 0 && cacheTokens <= MAX_TOKENS);
    check(
        MockParameter.CACHE_LIFE,
        cacheLifeNanos >= NANOS_PER_MILLI && cacheLifeNanos <= NANOS_PER_HOUR);
    if (cacheTokens > 0 && format != MockFormat.ANTHROPIC) {
      throw new IllegalArgumentException(
          "mock address: cache is " + cacheTokens + ", expected it for anthropic only");
    }
  }

  private static void check(MockParameter parameter, boolean good) {
    if (!good) {
      throw new IllegalArgumentException(
          "mock address: "
              + parameter.name()
              + " is out of range, expected "
              + parameter.accepted());
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
    Map<String, String> values = values(uri.getQuery());
    return new MockAddress(
        format,
        duration(values, MockParameter.LATENCY),
        (int) Math.min(integer(values, MockParameter.TOKENS), Integer.MAX_VALUE),
        decimal(values, MockParameter.TPS),
        integer(values, MockParameter.RPM),
        integer(values, MockParameter.TPM),
        duration(values, MockParameter.WINDOW),
        decimal(values, MockParameter.ERROR_RATE),
        announces(text(values, MockParameter.HEADERS)),
        integer(values, MockParameter.ITPM),
        integer(values, MockParameter.CACHE),
        duration(values, MockParameter.CACHE_LIFE));
  }

  private static boolean announces(String text) {
    return switch (text) {
      case "all" -> true;
      case "none" -> false;
      default -> throw malformed(MockParameter.HEADERS, text, MockParameter.HEADERS.accepted());
    };
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

  private static String text(Map<String, String> values, MockParameter parameter) {
    return values.getOrDefault(parameter.name(), parameter.otherwise());
  }

  private static long duration(Map<String, String> values, MockParameter parameter) {
    String text = text(values, parameter);
    if (text.equals("0")) {
      return 0;
    }
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw malformed(parameter, text, "a duration such as 200ms, 2s or 1m");
    }
    long unitNanos =
        switch (matcher.group(2)) {
          case "ms" -> NANOS_PER_MILLI;
          case "s" -> 1_000 * NANOS_PER_MILLI;
          default -> 60_000 * NANOS_PER_MILLI;
        };
    // computed with BigDecimal, because twelve digits of minutes in nanoseconds overflow a long
    return new BigDecimal(matcher.group(1))
        .multiply(BigDecimal.valueOf(unitNanos))
        .min(BigDecimal.valueOf(Long.MAX_VALUE))
        .longValue();
  }

  private static long integer(Map<String, String> values, MockParameter parameter) {
    String text = text(values, parameter);
    if (!INTEGER.matcher(text).matches()) {
      throw malformed(parameter, text, "a whole number, 0 or more");
    }
    return Long.parseLong(text);
  }

  private static double decimal(Map<String, String> values, MockParameter parameter) {
    String text = text(values, parameter);
    if (!DECIMAL.matcher(text).matches()) {
      throw malformed(parameter, text, "a number such as 0.25 or 100");
    }
    return Double.parseDouble(text);
  }

  private static IllegalArgumentException malformed(
      MockParameter parameter, String text, String expected) {
    return new IllegalArgumentException(
        "mock address: " + parameter.name() + " is " + quoted(text) + ", expected " + expected);
  }

  private static String quoted(@Nullable String text) {
    if (text == null) {
      return "missing";
    }
    return "'" + (text.length() <= 40 ? text : text.substring(0, 40) + "…") + "'";
  }
}
