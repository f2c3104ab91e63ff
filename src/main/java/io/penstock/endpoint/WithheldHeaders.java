package io.penstock.endpoint;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Headers that do not pass the gateway, except at endpoints that list them. A name that ends in a
 * star stands for all headers that begin like it. Names are in lower case. Immutable.
 */
public final class WithheldHeaders {
  private static final String STAR = "*";

  /**
   * Headers of requests by which a client chooses who pays at the provider, or that tell upstreams
   * about the client: its cookies and its address.
   */
  public static final WithheldHeaders OF_REQUESTS =
      new WithheldHeaders(
          "cf-connecting-ip",
          "client-ip",
          "cookie",
          "fastly-client-ip",
          "forwarded",
          "openai-organization",
          "openai-project",
          "true-client-ip",
          "x-client-ip",
          "x-cluster-client-ip",
          "x-forwarded-*",
          "x-goog-user-project",
          "x-original-forwarded-for",
          "x-real-ip");

  /**
   * Headers of answers that a client would take for statements of the gateway about itself: what to
   * store for it, where else to find it, and which web pages may read it.
   */
  public static final WithheldHeaders OF_ANSWERS =
      new WithheldHeaders(
          "access-control-*",
          "alt-svc",
          "clear-site-data",
          "content-location",
          "location",
          "nel",
          "refresh",
          "report-to",
          "reporting-endpoints",
          "set-cookie",
          "strict-transport-security",
          "timing-allow-origin");

  private static final Set<String> BILLING =
      Set.of("openai-organization", "openai-project", "x-goog-user-project");

  private final List<String> names;
  private final Set<String> exact;
  private final List<String> prefixes;

  private WithheldHeaders(String... names) {
    this.names = List.of(names);
    this.exact = Set.of(names);
    this.prefixes =
        this.names.stream()
            .filter(name -> name.endsWith(STAR))
            .map(name -> name.substring(0, name.length() - STAR.length()))
            .toList();
  }

  /** Returns the names as an endpoint can list them, sorted. */
  public List<String> names() {
    return names;
  }

  /** Returns whether an endpoint can list a name, in whatever case. */
  public boolean canList(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return exact.contains(lower) || (!lower.endsWith(STAR) && family(lower) != null);
  }

  /**
   * Returns whether a header is kept back.
   *
   * @param listed the names that the endpoint lists, in lower case
   */
  public boolean keeps(String header, Set<String> listed) {
    String family = family(header);
    return (family != null || exact.contains(header))
        && !listed.contains(header)
        && (family == null || !listed.contains(family + STAR));
  }

  /** Returns whether a header of a request chooses whom the provider bills. */
  public static boolean choosesBilling(String header) {
    return BILLING.contains(header);
  }

  private @Nullable String family(String header) {
    for (String prefix : prefixes) {
      if (header.startsWith(prefix)) {
        return prefix;
      }
    }
    return null;
  }
}
