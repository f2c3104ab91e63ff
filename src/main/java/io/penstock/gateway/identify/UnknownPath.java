package io.penstock.gateway.identify;

import io.penstock.config.NearestName;
import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.gateway.request.PrintableText;
import io.penstock.provider.ProviderProtocol;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Path of a request that no endpoint has, mostly because the client was given a wrong base URL. The
 * refusal is in the dialect that the client speaks, which its path and headers reveal: some client
 * libraries show an empty message for any other body.
 */
final class UnknownPath {
  private static final int MOST_NAMED = 3;

  private UnknownPath() {}

  /** Returns the dialect that the sender of a request most likely speaks. */
  static ProviderProtocol dialect(ServerHttpRequest request) {
    return DialectTable.spokenBy(
        request.getURI().getRawPath().toLowerCase(Locale.ROOT), request.getHeaders());
  }

  /**
   * Returns the refusal of a request whose path no endpoint has.
   *
   * @param known the endpoints that its sender may use
   */
  static Refusal refusal(ServerHttpRequest request, Stream<EndpointSpec> known) {
    ProviderProtocol dialect = dialect(request);
    String path = request.getURI().getRawPath();
    String asked = PrintableText.of(request.getMethod().name() + " " + path);
    if (!dialect.readsBodies()) {
      return Refusal.of(RefusalReason.NO_ENDPOINT, "no endpoint has this path");
    }
    String near =
        known
            .filter(spec -> !spec.isDynamic() && spec.reading().dialect().equals(dialect))
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
  private static String baseUrl(ProviderProtocol dialect) {
    String behind = dialect.basePath();
    return "A base URL is the address of the gateway, the path of an endpoint, and %s, such as"
            .formatted(behind.isEmpty() ? "nothing behind it" : behind)
        + " http://HOST:PORT/"
        + dialect.text()
        + behind;
  }

  /** Returns how much an endpoint's path differs from the beginning of another path. */
  private static int distance(String path, String endpoint) {
    return NearestName.distance(
        path.substring(0, Math.min(path.length(), endpoint.length())), endpoint);
  }
}
