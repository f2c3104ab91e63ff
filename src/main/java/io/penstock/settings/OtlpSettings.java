package io.penstock.settings;

import io.penstock.trace.TraceSettings;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.env.Environment;

/**
 * Where traces go, by the names that Spring Boot and OpenTelemetry use: if an endpoint is named,
 * traces are sent.
 */
public final class OtlpSettings {
  private static final String OTLP = "management.opentelemetry.tracing.export.otlp.";
  private static final String ENDPOINT = OTLP + "endpoint";
  private static final String TIMEOUT = OTLP + "timeout";
  private static final String SHARE = "management.tracing.sampling.probability";
  private static final String BASE = "OTEL_EXPORTER_OTLP_ENDPOINT";
  private static final String TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  private static final String HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration LONGEST = Duration.ofHours(1);

  /** A token (RFC 9110 section 5.6.2); a value is text that the JDK's client can send. */
  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7e]*");
  private static final double SHARE_BY_DEFAULT = 0.1;

  private OtlpSettings() {}

  /**
   * Returns the settings, or null when there is no endpoint, and so no traces.
   *
   * @throws CannotStart when they are invalid
   */
  public static @Nullable TraceSettings of(Environment environment) {
    URI endpoint = endpoint(environment);
    return endpoint == null
        ? null
        : new TraceSettings(
            endpoint,
            headers(environment),
            timeout(environment),
            share(environment),
            environment.getProperty("OTEL_SERVICE_NAME", "penstock"));
  }

  private static @Nullable URI endpoint(Environment environment) {
    for (String name : new String[] {ENDPOINT, TRACES}) {
      String stated = environment.getProperty(name, "").strip();
      if (!stated.isEmpty()) {
        return uri(name, stated);
      }
    }
    String base = environment.getProperty(BASE, "").strip();
    return base.isEmpty() ? null : uri(BASE, base + (base.endsWith("/") ? "" : "/") + "v1/traces");
  }

  /** Parses an address. Its errors do not show the address, because it may contain a password. */
  private static URI uri(String name, String stated) {
    try {
      URI uri = URI.create(stated);
      if (uri.getHost() != null
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
        return uri;
      }
    } catch (IllegalArgumentException malformed) {
      throw noAddress(name);
    }
    throw noAddress(name);
  }

  private static CannotStart noAddress(String name) {
    return new CannotStart(
        name + " is no address of a collector, expected one such as http://127.0.0.1:4318");
  }

  private static Map<String, String> headers(Environment environment) {
    Map<String, String> headers = new HashMap<>();
    String listed = environment.getProperty(HEADERS, "").strip();
    for (String pair : listed.isEmpty() ? new String[0] : listed.split(",", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new CannotStart(HEADERS + " cannot be read, expected name=value,name=value");
      }
      headers.put(pair.substring(0, equals).strip(), decoded(pair.substring(equals + 1).strip()));
    }
    check(HEADERS, headers);
    Bindable<Map<String, String>> map = Bindable.mapOf(String.class, String.class);
    Map<String, String> others =
        Binder.get(environment).bind(OTLP + "headers", map).orElse(Map.of());
    check(OTLP + "headers", others);
    headers.putAll(others);
    return headers;
  }

  /** Decodes the value of a header. Its errors do not show the value, because it is a secret. */
  private static String decoded(String value) {
    try {
      return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      throw new CannotStart(
          HEADERS
              + " has a % without two hexadecimal digits after it, expected %25 for the sign"
              + " itself");
    }
  }

  /**
   * Checks headers at the start: otherwise an invalid header would make every batch of traces fail,
   * without a message that tells why.
   */
  private static void check(String property, Map<String, String> headers) {
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

  private static Duration timeout(Environment environment) {
    String stated = environment.getProperty(TIMEOUT, "").strip();
    try {
      Duration timeout = stated.isEmpty() ? PATIENCE : DurationStyle.detectAndParse(stated);
      if (timeout.isPositive() && timeout.compareTo(LONGEST) <= 0) {
        return timeout;
      }
    } catch (IllegalArgumentException | ArithmeticException malformed) {
      throw noTimeout(stated);
    }
    throw noTimeout(stated);
  }

  private static CannotStart noTimeout(String stated) {
    return new CannotStart(
        TIMEOUT + " is '" + stated + "', expected a duration such as 10s, at most one hour");
  }

  private static double share(Environment environment) {
    String stated = environment.getProperty(SHARE, Double.toString(SHARE_BY_DEFAULT));
    return ShareSettings.of(SHARE, stated);
  }
}
