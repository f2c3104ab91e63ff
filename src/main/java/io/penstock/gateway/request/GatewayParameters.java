package io.penstock.gateway.request;

import io.penstock.cost.Cost;
import io.penstock.dispatch.WaitPatience;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.key.KeySpec;
import io.penstock.time.WallClock;
import java.math.BigDecimal;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The gateway's own parameters of a request, from its query and headers; the query wins.
 *
 * <p>A parameter that cannot be read, or is stated twice, is a fault. A lenient endpoint behaves
 * like rls instead: it ignores a parameter that it cannot read, takes the first of two values, and
 * treats {@code tokens=0} as not stated.
 *
 * @param tokens the input tokens that the request states, or null
 * @param patience how long the request is willing to wait
 * @param priority 0 to 9, where lower and higher values count as 0 and 9; with a key at most what
 *     the key allows
 * @param latencyMillis how long the request was on its way, by the clocks of both ends, at least 0;
 *     null when the sending time is missing or cannot be read
 * @param query the query that remains for the upstream, raw, or null
 * @param credential the part of the query that is a credential, raw, or null
 * @param fault what could not be read, or null
 */
public record GatewayParameters(
    @Nullable Long tokens,
    WaitPatience patience,
    int priority,
    @Nullable Long latencyMillis,
    @Nullable String query,
    @Nullable String credential,
    @Nullable String fault) {
  /** The highest priority of a request without a key. */
  private static final int MOST_PRIORITY = 9;

  private static final BigDecimal MOST_SECONDS = BigDecimal.valueOf(1_000_000_000L);
  private static final BigDecimal SECOND = BigDecimal.valueOf(1_000_000_000L);

  /** Reads the parameters of a request without a key. */
  public static GatewayParameters of(
      @Nullable String rawQuery,
      HttpHeaders headers,
      EndpointSpec.Reading reading,
      WallClock clock) {
    return of(rawQuery, headers, reading, null, clock);
  }

  /**
   * Reads the parameters; a fault is returned, not thrown.
   *
   * @param rank the priorities that its key allows, or null when it has none
   */
  public static GatewayParameters of(
      @Nullable String rawQuery,
      HttpHeaders headers,
      EndpointSpec.Reading reading,
      KeySpec.@Nullable Rank rank,
      WallClock clock) {
    Query query = Query.of(rawQuery);
    Reader reader = new Reader(reading.lenient());
    Long tokens =
        reader.read(
            "tokens",
            "a whole number from 0 to " + Cost.MAX_TOKENS,
            query.tokens().isEmpty() ? headers.getOrEmpty("X-Token-Cost") : query.tokens(),
            GatewayParameters::count);
    Long nanos =
        reader.read(
            "timeout",
            "a number of seconds, 0 or more",
            query.timeout().isEmpty() ? headers.getOrEmpty("X-Timeout") : query.timeout(),
            GatewayParameters::nanos);
    Long priority =
        reader.read(
            "X-Priority",
            "a whole number",
            headers.getOrEmpty("X-Priority"),
            GatewayParameters::priority);
    boolean unsaid = reading.lenient() && tokens != null && tokens == 0;
    return new GatewayParameters(
        unsaid ? null : tokens,
        new WaitPatience(nanos == null ? WaitPatience.UNSTATED : nanos, clientNanos(headers)),
        ranked(priority, rank),
        latency(headers, clock),
        query.rest(),
        query.credential(),
        reader.fault);
  }

  private static int ranked(@Nullable Long stated, KeySpec.@Nullable Rank rank) {
    if (rank != null) {
      return stated == null ? rank.priority() : (int) Math.min(stated, rank.maxPriority());
    }
    return stated == null ? 0 : Math.clamp(stated, 0, MOST_PRIORITY);
  }

  private static @Nullable Long count(String text) {
    if (!text.matches("[0-9]{1,13}")) {
      return null;
    }
    long count = Long.parseLong(text);
    return count <= Cost.MAX_TOKENS ? count : null;
  }

  private static @Nullable Long nanos(String text) {
    if (!text.matches("[0-9]{1,18}(\\.[0-9]{1,9})?")) {
      return null;
    }
    return new BigDecimal(text).min(MOST_SECONDS).multiply(SECOND).longValue();
  }

  private static @Nullable Long priority(String text) {
    if (!text.matches("[+-]?[0-9]{1,10}")) {
      return null;
    }
    long priority = Long.parseLong(text);
    return priority == (int) priority ? priority : null;
  }

  /** Returns the time on the way. It is only shown, so an unreadable value is no fault. */
  private static @Nullable Long latency(HttpHeaders headers, WallClock clock) {
    String sent = headers.getFirst("X-Sent-At");
    return sent == null || !sent.matches("[0-9]{1,18}")
        ? null
        : Long.valueOf(Math.max(0, clock.unixMillis() - Long.parseLong(sent)));
  }

  /**
   * Returns when the client library gives up, less a second so that the gateway's answer is there
   * first. The header is meant for the library itself, so an unreadable value is no fault.
   */
  private static long clientNanos(HttpHeaders headers) {
    String text = headers.getFirst("x-stainless-timeout");
    Long nanos = text == null ? null : nanos(text);
    return nanos == null ? Long.MAX_VALUE : Math.max(0, nanos - SECOND.longValue());
  }

  /** Reads one parameter after the other, and keeps the first fault. */
  private static final class Reader {
    private final boolean lenient;
    private @Nullable String fault;

    Reader(boolean lenient) {
      this.lenient = lenient;
    }

    /** Returns the first stated value, or null when there is none or it cannot be read. */
    @Nullable Long read(
        String name, String expected, List<String> stated, Function<String, @Nullable Long> of) {
      if (stated.isEmpty()) {
        return null;
      }
      Long value = of.apply(stated.getFirst());
      if (!lenient && fault == null) {
        if (value == null) {
          fault = name + " is not " + expected;
        } else if (stated.size() > 1) {
          fault = name + " is stated more than once";
        }
      }
      return value;
    }
  }

  /** A query without the gateway's own parameters. */
  private record Query(
      List<String> tokens,
      List<String> timeout,
      @Nullable String rest,
      @Nullable String credential) {
    static Query of(@Nullable String raw) {
      List<String> tokens = new ArrayList<>();
      List<String> timeout = new ArrayList<>();
      if (raw == null) {
        return new Query(tokens, timeout, null, null);
      }
      StringJoiner rest = new StringJoiner("&");
      String credential = null;
      for (String part : raw.split("&", -1)) {
        int equals = part.indexOf('=');
        String name = equals < 0 ? part : part.substring(0, equals);
        String value = equals < 0 ? "" : part.substring(equals + 1);
        switch (decoded(name)) {
          case "tokens" -> tokens.add(decoded(value));
          case "timeout" -> timeout.add(decoded(value));
          case "key" -> credential = part;
          default -> rest.add(part);
        }
      }
      return new Query(tokens, timeout, rest.length() == 0 ? null : rest.toString(), credential);
    }

    private static String decoded(String value) {
      try {
        return URLDecoder.decode(value, StandardCharsets.UTF_8);
      } catch (IllegalArgumentException malformed) {
        return value; // which is no number either, and is reported as such
      }
    }
  }
}
