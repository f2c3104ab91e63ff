package io.penstock.gateway;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Names of headers. */
final class Names {
  static final String REQUEST_ID = "x-request-id";
  static final String REASON = "x-penstock-reason";
  static final String ENDPOINT = "x-penstock-endpoint";
  static final String UPSTREAM = "x-penstock-upstream";
  static final String QUEUED_MS = "x-penstock-queued-ms";
  static final String COST = "x-penstock-cost";

  /** What a client says to the gateway, not to the provider. */
  static final Set<String> FOR_THE_GATEWAY =
      Set.of("x-penstock-key", "x-token-cost", "x-timeout", "x-priority", "x-sent-at");

  /** What a client says to whoever checks its credentials. */
  static final Set<String> CREDENTIALS =
      Set.of("authorization", "x-api-key", "api-key", "x-goog-api-key");

  /** What a provider says of its limits: the client's are the gateway's. */
  private static final List<String> PROVIDER_LIMITS =
      List.of("x-ratelimit-", "anthropic-ratelimit-", "ratelimit");

  private Names() {}

  /** Returns, in lower case, what a sender says is not for whoever is behind the next hop. */
  static Set<String> forThisHop(Collection<String> connection) {
    Set<String> names = new HashSet<>(Set.of("expect", "proxy-connection"));
    for (String value : connection) {
      for (String name : value.split(",", -1)) {
        names.add(name.strip().toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }

  static boolean saysProviderLimits(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return PROVIDER_LIMITS.stream().anyMatch(lower::startsWith);
  }
}
