package io.penstock.gateway.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.ShortParameter;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The raw query of a request, divided into the parts that are for the gateway and the rest, which
 * is for the upstream. If nothing is for the gateway, the rest is the query byte for byte.
 *
 * @param tokens the values of all {@code tokens=}, decoded, whether the endpoint reads them or not
 * @param timeout the same for {@code timeout=}
 * @param rest the query that remains for the upstream, raw, or null
 * @param credential the part that is a credential, raw, or null
 */
record ClientQuery(
    List<String> tokens, List<String> timeout, @Nullable String rest, @Nullable String credential) {
  private static final ClientQuery NONE = new ClientQuery(List.of(), List.of(), null, null);

  static ClientQuery of(@Nullable String raw, EndpointSpec.Reading reading) {
    if (raw == null) {
      return NONE;
    }
    boolean readsTokens = reading.reads(ShortParameter.TOKENS_IN_QUERY);
    boolean readsTimeout = reading.reads(ShortParameter.TIMEOUT_IN_QUERY);
    List<String> tokens = new ArrayList<>();
    List<String> timeout = new ArrayList<>();
    StringJoiner rest = new StringJoiner("&");
    String credential = null;
    boolean removed = false;
    for (String part : raw.split("&", -1)) {
      int equals = part.indexOf('=');
      String name = decoded(equals < 0 ? part : part.substring(0, equals));
      String value = equals < 0 ? "" : part.substring(equals + 1);
      boolean ours =
          switch (name) {
            case "tokens" -> tokens.add(decoded(value)) && readsTokens;
            case "timeout" -> timeout.add(decoded(value)) && readsTimeout;
            case "key" -> true;
            default -> false;
          };
      if (!ours) {
        rest.add(part);
      } else if (name.equals("key")) {
        credential = part;
      }
      removed |= ours;
    }
    String remains = rest.length() == 0 ? null : rest.toString();
    return new ClientQuery(tokens, timeout, removed ? remains : raw, credential);
  }

  private static String decoded(String value) {
    try {
      return URLDecoder.decode(value, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      return value; // which is no number either, and is reported as such
    }
  }
}
