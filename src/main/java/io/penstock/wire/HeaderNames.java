package io.penstock.wire;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Names of headers. */
public final class HeaderNames {
  public static final String REQUEST_ID = "x-request-id";
  public static final String REASON = "x-penstock-reason";

  /** Header of a refusal: the instant from which a retry would be served, in ISO 8601, UTC. */
  public static final String RETRY_AT = "x-penstock-retry-at";

  public static final String ENDPOINT = "x-penstock-endpoint";
  public static final String UPSTREAM = "x-penstock-upstream";
  public static final String QUEUED_MS = "x-penstock-queued-ms";
  public static final String COST = "x-penstock-cost";

  /** Header of an answer: the maximum of output to which the stated one was lowered. */
  public static final String MAX_OUTPUT = "x-penstock-max-output";

  /** Header that can forbid browsers to guess the type of an answer. */
  public static final String CONTENT_TYPE_OPTIONS = "X-Content-Type-Options";

  /** Value of {@link #CONTENT_TYPE_OPTIONS} that forbids it. */
  public static final String NO_SNIFFING = "nosniff";

  /** Header in which a request states the seconds that it is willing to wait. */
  public static final String TIMEOUT = "x-penstock-timeout";

  /** Header in which a request states its cost in tokens. */
  public static final String TOKENS = "x-penstock-tokens";

  /** Header in which a request states its priority. */
  public static final String PRIORITY = "x-penstock-priority";

  /** Header in which a request states when it was sent, in milliseconds since 1970. */
  public static final String SENT_AT = "x-penstock-sent-at";

  /** Headers in which a client addresses the gateway, not the provider. */
  public static final Set<String> FOR_THE_GATEWAY =
      Set.of("x-penstock-key", TIMEOUT, TOKENS, PRIORITY, SENT_AT);

  /**
   * Prefixes of headers in which a provider tells its limits; clients are told those of the gateway
   * instead.
   */
  private static final List<String> PROVIDER_LIMITS =
      List.of("x-ratelimit-", "anthropic-ratelimit-", "ratelimit");

  /** Headers that apply to one connection only, by RFC 9110 section 7.6.1 or by custom. */
  private static final Set<String> HOP_BY_HOP =
      Set.of(
          "connection",
          "keep-alive",
          "transfer-encoding",
          "te",
          "trailer",
          "proxy-authorization",
          "proxy-authenticate",
          "x-application-context",
          "upgrade",
          "http2-settings");

  /**
   * Beginning of headers in which Netty keeps the scheme, the path and the stream of a request over
   * HTTP/2.
   */
  private static final String OF_HTTP2 = "x-http2-";

  /** Headers in which some servers look for another method or path than the request has. */
  private static final Set<String> OVERRIDES =
      Set.of(
          "x-http-method-override",
          "x-http-method",
          "x-method-override",
          "x-original-method",
          "x-original-url",
          "x-original-uri",
          "x-rewrite-url",
          "x-rewrite-uri",
          "x-override-url",
          "x-envoy-original-method",
          "x-envoy-original-path");

  private static final Set<String> ALWAYS_FOR_THIS_HOP = Set.of("expect", "proxy-connection");

  private HeaderNames() {}

  /**
   * Returns the names, in lower case, of further headers that are only for the next hop.
   *
   * @param connection the values of the Connection header
   */
  public static Set<String> forThisHop(Collection<String> connection) {
    if (connection.isEmpty()) {
      return ALWAYS_FOR_THIS_HOP;
    }
    Set<String> names = new HashSet<>(ALWAYS_FOR_THIS_HOP);
    for (String value : connection) {
      for (String name : value.split(",", -1)) {
        names.add(name.strip().toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }

  /** Returns whether a header, in lower case, applies to one connection only. */
  public static boolean isHopByHop(String name) {
    return HOP_BY_HOP.contains(name) || name.startsWith(OF_HTTP2);
  }

  /**
   * Returns whether a header, in lower case, could state another method or path. A server that
   * obeys it would make another call than the gateway has weighed. Some servers take an underscore
   * for a hyphen.
   */
  public static boolean overridesCall(String name) {
    return OVERRIDES.contains(name.replace('_', '-'));
  }

  /** Returns whether a header, in lower case, tells what is left of a provider's limits. */
  public static boolean saysProviderLimits(String name) {
    for (String prefix : PROVIDER_LIMITS) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }
}
