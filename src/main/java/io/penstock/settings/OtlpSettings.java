package io.penstock.settings;

import io.penstock.trace.OtlpTracing;
import io.penstock.trace.TraceSettings;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;

/**
 * Where traces go, by the names that OpenTelemetry ({@code OTEL_*}) and Spring Boot use; those of
 * Spring Boot win. Traces are sent if an endpoint or an exporter is named.
 */
public final class OtlpSettings {
  private static final String BOOT = "management.opentelemetry.tracing.export.otlp.";
  private static final String TIMEOUT = BOOT + "timeout";
  private static final String SHARE = "management.tracing.sampling.probability";
  private static final String OTEL = "otel.";
  private static final String EXPORTER = "otel.traces.exporter";
  private static final String PROTOCOL = "otel.exporter.otlp.protocol";
  private static final String TRACES_PROTOCOL = "otel.exporter.otlp.traces.protocol";
  private static final String ENDPOINT = "otel.exporter.otlp.endpoint";
  private static final String TRACES_ENDPOINT = "otel.exporter.otlp.traces.endpoint";
  private static final String HEADERS = "otel.exporter.otlp.headers";
  private static final String TRACES_HEADERS = "otel.exporter.otlp.traces.headers";
  private static final String ONLY_PROTOCOL = "http/protobuf";
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration LONGEST = Duration.ofHours(1);

  /** A token (RFC 9110 section 5.6.2); a value is text that the JDK's client can send. */
  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7e]*");

  private final ConfigurableEnvironment environment;

  /** Settings of OpenTelemetry by the names of its system properties. */
  private final Map<String, String> properties = new HashMap<>();

  /** The names under which they were written. */
  private final Map<String, String> written = new HashMap<>();

  private OtlpSettings(ConfigurableEnvironment environment) {
    this.environment = environment;
    environment.getPropertySources().stream()
        .filter(EnumerablePropertySource.class::isInstance)
        .map(EnumerablePropertySource.class::cast)
        .forEach(this::read);
  }

  /**
   * Returns the settings, or null when traces are not asked for, or switched off.
   *
   * @throws CannotStart when they are invalid
   */
  public static @Nullable TraceSettings of(ConfigurableEnvironment environment) {
    OtlpSettings settings = new OtlpSettings(environment);
    settings.put(BOOT + "endpoint", TRACES_ENDPOINT);
    return settings.wanted() ? settings.checked() : null;
  }

  /** Reads all names of OpenTelemetry, as variables or as system properties; the first wins. */
  private void read(EnumerablePropertySource<?> source) {
    for (String name : source.getPropertyNames()) {
      String property = name.toLowerCase(Locale.ROOT).replace('_', '.');
      String value = property.startsWith(OTEL) ? text(name) : "";
      if (!value.isEmpty()) {
        properties.putIfAbsent(property, value);
        written.putIfAbsent(property, name);
      }
    }
  }

  /** Takes a setting from Spring Boot's name for it, if that is set. */
  private void put(String name, String property) {
    String value = text(name);
    if (!value.isEmpty()) {
      properties.put(property, value);
      written.put(property, name);
    }
  }

  private String text(String name) {
    return environment.getProperty(name, "").strip();
  }

  private boolean wanted() {
    boolean named =
        properties.containsKey(ENDPOINT)
            || properties.containsKey(TRACES_ENDPOINT)
            || properties.containsKey(EXPORTER);
    return named
        && !"none".equals(properties.get(EXPORTER))
        && !"true".equalsIgnoreCase(properties.get("otel.sdk.disabled"));
  }

  private TraceSettings checked() {
    checkAddress(ENDPOINT);
    checkAddress(TRACES_ENDPOINT);
    checkProtocol(PROTOCOL);
    checkProtocol(TRACES_PROTOCOL);
    Map<String, String> headers = headers();
    if (!headers.isEmpty()) {
      properties.put(TRACES_HEADERS, encoded(headers));
    }
    properties.putAll(timeout());
    properties.putAll(share());
    TraceSettings settings = TraceSettings.of(properties);
    String problem = OtlpTracing.problem(settings);
    if (problem != null) {
      throw new CannotStart("traces cannot be sent: " + problem);
    }
    return settings;
  }

  /** Checks an address. Its errors do not show the address, because it may contain a password. */
  private void checkAddress(String property) {
    String address = properties.get(property);
    if (address != null && !isAddress(address)) {
      throw new CannotStart(
          written.get(property)
              + " is no address of a collector, expected one such as http://127.0.0.1:4318");
    }
  }

  private static boolean isAddress(String address) {
    try {
      URI uri = URI.create(address);
      return uri.getHost() != null
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()));
    } catch (IllegalArgumentException malformed) {
      return false;
    }
  }

  private void checkProtocol(String property) {
    String protocol = properties.getOrDefault(property, ONLY_PROTOCOL);
    if (!protocol.equals(ONLY_PROTOCOL)) {
      throw new CannotStart(
          written.get(property)
              + " is '"
              + protocol
              + "', expected http/protobuf, with the collector's port for HTTP, which usually is"
              + " 4318");
    }
  }

  /** Returns the headers to send: those for traces, else those for all signals, and Boot's. */
  private Map<String, String> headers() {
    String property = properties.containsKey(TRACES_HEADERS) ? TRACES_HEADERS : HEADERS;
    String listed = properties.getOrDefault(property, "");
    String name = written.getOrDefault(property, property);
    Map<String, String> headers = new LinkedHashMap<>();
    for (String pair : listed.isEmpty() ? new String[0] : listed.split(",", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new CannotStart(name + " cannot be read, expected name=value,name=value");
      }
      String value = decoded(name, pair.substring(equals + 1).strip());
      headers.put(pair.substring(0, equals).strip(), value);
    }
    checkHeaders(name, headers);
    Bindable<Map<String, String>> map = Bindable.mapOf(String.class, String.class);
    Map<String, String> others =
        Binder.get(environment).bind(BOOT + "headers", map).orElse(Map.of());
    checkHeaders(BOOT + "headers", others);
    headers.putAll(others);
    return headers;
  }

  /** Decodes the value of a header. Its errors do not show the value, because it is a secret. */
  private static String decoded(String name, String value) {
    try {
      return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      throw new CannotStart(
          name
              + " has a % without two hexadecimal digits after it, expected %25 for the sign"
              + " itself");
    }
  }

  private static String encoded(Map<String, String> headers) {
    return headers.entrySet().stream()
        .map(each -> each.getKey() + "=" + encoded(each.getValue()))
        .collect(Collectors.joining(","));
  }

  private static String encoded(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /**
   * Checks headers at the start: otherwise an invalid header would make every batch of traces fail,
   * without a message that tells why.
   */
  private static void checkHeaders(String property, Map<String, String> headers) {
    headers.forEach(
        (name, value) -> {
          if (!NAME.matcher(name).matches() || !VALUE.matcher(value).matches()) {
            throw new CannotStart(
                property
                    + " has a header that cannot be sent, expected a name of letters, digits and"
                    + " -, and a value of printable ASCII");
          }
        });
  }

  /** Returns the longest time for one batch, including retries, if Boot's name for it is set. */
  private Map<String, String> timeout() {
    String stated = text(TIMEOUT);
    if (stated.isEmpty()) {
      return Map.of();
    }
    Duration timeout =
        value(
            TIMEOUT,
            stated,
            "a duration such as 10s, at most one hour",
            DurationStyle::detectAndParse,
            parsed -> parsed.isPositive() && parsed.compareTo(LONGEST) <= 0);
    return Map.of(
        "otel.exporter.otlp.traces.timeout",
        Long.toString(timeout.toMillis()),
        "otel.bsp.export.timeout",
        Long.toString(timeout.plus(PATIENCE).toMillis()));
  }

  /** Returns the part of the traces begun here that are sampled, if Boot's name for it is set. */
  private Map<String, String> share() {
    String stated = environment.getProperty(SHARE);
    if (stated == null) {
      return Map.of();
    }
    double share =
        value(
            SHARE,
            stated,
            "a number from 0 to 1",
            Double::valueOf,
            parsed -> parsed >= 0 && parsed <= 1);
    return Map.of(
        "otel.traces.sampler",
        "parentbased_traceidratio",
        "otel.traces.sampler.arg",
        Double.toString(share));
  }

  private static <T> T value(
      String name, String stated, String expected, Function<String, T> parse, Predicate<T> fits) {
    CannotStart refusal = new CannotStart(name + " is '" + stated + "', expected " + expected);
    try {
      T value = parse.apply(stated);
      if (fits.test(value)) {
        return value;
      }
    } catch (IllegalArgumentException | ArithmeticException malformed) {
      throw refusal;
    }
    throw refusal;
  }
}
