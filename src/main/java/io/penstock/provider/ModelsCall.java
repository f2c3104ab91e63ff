package io.penstock.provider;

import io.penstock.cost.Dialect;
import io.penstock.endpoint.EndpointSpec;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** The call for the list of a provider's models, which costs nothing and changes nothing. */
public final class ModelsCall {
  private ModelsCall() {}

  /** Returns whether a dialect has the call under a path that is known. */
  public static boolean exists(Dialect dialect) {
    return !ProviderProtocol.of(dialect).version().isEmpty();
  }

  /**
   * Returns the address of the call as a client of the endpoint would reach it, or null when there
   * is none.
   *
   * @param base the address of the upstream; it or the endpoint's path may contain the version
   */
  public static @Nullable URI at(EndpointSpec endpoint, URI base) {
    String version = ProviderProtocol.of(endpoint.reading().dialect()).version();
    if (version.isEmpty()) {
      return null;
    }
    String path = endpoint.forwarding().stripPrefix() ? "" : endpoint.path();
    String all = trimmed(trimmed(base.toString()) + path);
    return URI.create(all + (CallPaths.version(all).isEmpty() ? version : "") + "/models");
  }

  private static String trimmed(String text) {
    return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
  }
}
