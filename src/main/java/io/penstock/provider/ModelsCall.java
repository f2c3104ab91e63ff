package io.penstock.provider;

import io.penstock.cost.Dialect;
import io.penstock.endpoint.EndpointSpec;
import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The call for the list of a provider's models, which costs nothing and changes nothing. */
public final class ModelsCall {
  private static final String VERSIONED = ".*/v[0-9]+[a-z]*";

  private ModelsCall() {}

  /** Returns whether a dialect has the call under a path that is known. */
  public static boolean exists(Dialect dialect) {
    return version(dialect) != null;
  }

  private static @Nullable String version(Dialect dialect) {
    return switch (dialect) {
      case OPENAI, ANTHROPIC -> "/v1";
      case GEMINI -> "/v1beta";
      case AZURE, NONE -> null;
    };
  }

  /**
   * Returns the address of the call as a client of the endpoint would reach it, or null when there
   * is none.
   *
   * @param base the address of the upstream; it or the endpoint's path may contain the version
   */
  public static @Nullable URI at(EndpointSpec endpoint, URI base) {
    String version = version(endpoint.reading().dialect());
    if (version == null) {
      return null;
    }
    String path = endpoint.forwarding().stripPrefix() ? "" : endpoint.path();
    String all = trimmed(trimmed(base.toString()) + path);
    return URI.create(all + (all.matches(VERSIONED) ? "" : version) + "/models");
  }

  private static String trimmed(String text) {
    return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
  }

  /** Returns the headers that the call needs besides a credential. */
  public static Map<String, String> headers(Dialect dialect) {
    return dialect == Dialect.ANTHROPIC ? Map.of("anthropic-version", "2023-06-01") : Map.of();
  }
}
