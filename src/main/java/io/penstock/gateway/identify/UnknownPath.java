package io.penstock.gateway.identify;

import io.penstock.config.NearestName;
import io.penstock.cost.Dialect;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.gateway.request.PrintableText;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Path of a request that no endpoint has, mostly because the client was given a wrong base URL. The
 * refusal is in the dialect that the client speaks, which its path and headers reveal: some client
 * libraries show an empty message for any other body.
 */
final class UnknownPath {
  private static final List<String> OPENAI_CALLS =
      List.of(
          "/chat/completions",
          "/completions",
          "/responses",
          "/embeddings",
          "/moderations",
          "/images/generations",
          "/audio/speech",
          "/audio/transcriptions");

  private static final int MOST_NAMED = 3;

  private UnknownPath() {}

  /** Returns the dialect that the sender of a request most likely speaks. */
  static Dialect dialect(ServerHttpRequest request) {
    HttpHeaders headers = request.getHeaders();
    String path = request.getURI().getRawPath().toLowerCase(Locale.ROOT);
    if (path.contains(":generatecontent")
        || path.contains(":streamgeneratecontent")
        || path.contains(":counttokens")
        || path.contains(":embedcontent")
        || path.contains(":batchembedcontents")
        || headers.containsHeader("x-goog-api-key")
        || headers.containsHeader("x-goog-api-client")) {
      return Dialect.GEMINI;
    }
    if (headers.containsHeader("anthropic-version")
        || path.endsWith("/messages")
        || path.endsWith("/messages/count_tokens")) {
      return Dialect.ANTHROPIC;
    }
    if (path.contains("/openai/deployments/") || headers.containsHeader("api-key")) {
      return Dialect.AZURE;
    }
    boolean openAi =
        OPENAI_CALLS.stream().anyMatch(path::endsWith)
            || headers.headerNames().stream()
                .anyMatch(name -> name.regionMatches(true, 0, "x-stainless-", 0, 12))
            || headers.getOrEmpty(HttpHeaders.AUTHORIZATION).stream()
                .anyMatch(value -> value.regionMatches(true, 0, "bearer ", 0, 7));
    return openAi ? Dialect.OPENAI : Dialect.NONE;
  }

  /**
   * Returns the refusal of a request whose path no endpoint has.
   *
   * @param known the endpoints that its sender may use
   */
  static Refusal refusal(ServerHttpRequest request, Stream<EndpointSpec> known) {
    Dialect dialect = dialect(request);
    String path = request.getURI().getRawPath();
    String asked = PrintableText.of(request.getMethod().name() + " " + path);
    if (dialect == Dialect.NONE) {
      return Refusal.of(RefusalReason.NO_ENDPOINT, "no endpoint has this path");
    }
    String near =
        known
            .filter(spec -> !spec.isDynamic() && speaks(spec, dialect))
            .map(EndpointSpec::path)
            .sorted(
                Comparator.<String>comparingInt(each -> distance(path, each))
                    .thenComparing(Comparator.naturalOrder()))
            .limit(MOST_NAMED)
            .collect(Collectors.joining(", "));
    return Refusal.of(
        RefusalReason.NO_ENDPOINT,
        "Invalid URL (%s): no endpoint has this path. %s%s"
            .formatted(
                asked,
                near.isEmpty() ? "" : "Endpoints that speak this dialect: " + near + ". ",
                baseUrl(dialect)));
  }

  /** Returns how the base URL of a client looks that speaks a dialect. */
  private static String baseUrl(Dialect dialect) {
    return "A base URL is the address of the gateway, the path of an endpoint, and %s"
        .formatted(
            switch (dialect) {
              case OPENAI -> "/v1, such as http://HOST:PORT/openai/v1";
              case AZURE, ANTHROPIC, GEMINI, NONE ->
                  "nothing behind it, such as http://HOST:PORT/"
                      + dialect.name().toLowerCase(Locale.ROOT);
            });
  }

  private static boolean speaks(EndpointSpec spec, Dialect dialect) {
    return spec.reading().dialect() == dialect;
  }

  /** Returns how much an endpoint's path differs from the beginning of another path. */
  private static int distance(String path, String endpoint) {
    return NearestName.distance(
        path.substring(0, Math.min(path.length(), endpoint.length())), endpoint);
  }
}
