package io.penstock.gateway;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Patience;
import java.math.BigDecimal;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The gateway's own parameters of a request, from its query and headers.
 *
 * @param tokens the input it states, or null
 * @param patience how long it is willing to wait
 * @param query the query that remains for the upstream, raw, or null
 * @param fault what could not be read, or null
 */
record Parameters(
    @Nullable Long tokens, Patience patience, @Nullable String query, @Nullable String fault) {
  private static final BigDecimal MOST_SECONDS = BigDecimal.valueOf(1_000_000_000L);
  private static final BigDecimal SECOND = BigDecimal.valueOf(1_000_000_000L);

  /** Reads the parameters; a fault is told, not thrown. */
  static Parameters of(@Nullable String rawQuery, HttpHeaders headers) {
    Query query = Query.of(rawQuery);
    String tokens = query.tokens() != null ? query.tokens() : headers.getFirst("X-Token-Cost");
    String timeout = query.timeout() != null ? query.timeout() : headers.getFirst("X-Timeout");
    Long count = tokens == null ? null : count(tokens);
    if (tokens != null && count == null) {
      return faulty(query, "tokens is not a whole number from 0 to " + Cost.MAX_TOKENS);
    }
    Long nanos = timeout == null ? Long.valueOf(Patience.UNSAID) : nanos(timeout);
    if (nanos == null) {
      return faulty(query, "timeout is not a number of seconds, 0 or more");
    }
    return new Parameters(count, new Patience(nanos, clientNanos(headers)), query.rest(), null);
  }

  private static Parameters faulty(Query query, String fault) {
    return new Parameters(null, Patience.DEFAULT, query.rest(), fault);
  }

  private static @Nullable Long count(String text) {
    if (!text.matches("[0-9]{1,13}")) {
      return null;
    }
    long count = Long.parseLong(text);
    return count <= Cost.MAX_TOKENS ? count : null;
  }

  private static @Nullable Long nanos(String text) {
    if (!text.matches("[0-9]{1,9}(\\.[0-9]{1,9})?")) {
      return null;
    }
    return new BigDecimal(text).min(MOST_SECONDS).multiply(SECOND).longValue();
  }

  /**
   * When the client library gives up, less a second so that our answer is there first. What it says
   * is for itself, so what cannot be read is no fault.
   */
  private static long clientNanos(HttpHeaders headers) {
    String text = headers.getFirst("x-stainless-timeout");
    Long nanos = text == null ? null : nanos(text);
    return nanos == null ? Long.MAX_VALUE : Math.max(0, nanos - SECOND.longValue());
  }

  /** A query without the gateway's own parameters. */
  private record Query(@Nullable String tokens, @Nullable String timeout, @Nullable String rest) {
    static Query of(@Nullable String raw) {
      if (raw == null) {
        return new Query(null, null, null);
      }
      String tokens = null;
      String timeout = null;
      StringJoiner rest = new StringJoiner("&");
      for (String part : raw.split("&", -1)) {
        int equals = part.indexOf('=');
        String name = equals < 0 ? part : part.substring(0, equals);
        String value = equals < 0 ? "" : part.substring(equals + 1);
        switch (decoded(name)) {
          case "tokens" -> tokens = decoded(value);
          case "timeout" -> timeout = decoded(value);
          case "key" -> {}
          default -> rest.add(part);
        }
      }
      return new Query(tokens, timeout, rest.length() == 0 ? null : rest.toString());
    }

    private static String decoded(String value) {
      try {
        return URLDecoder.decode(value, StandardCharsets.UTF_8);
      } catch (IllegalArgumentException malformed) {
        return value; // which is no number either, and is told as such
      }
    }
  }
}
