package io.penstock.gateway.identify;

import io.penstock.dialect.DialectTable;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The secrets a request carries, each once, none blank.
 *
 * @param ours those in the gateway's own header
 * @param others those in places that providers have too
 */
record RequestCredentials(Set<String> ours, Set<String> others) {
  private static final String OURS = "x-penstock-key";
  private static final List<String> OTHERS =
      DialectTable.CREDENTIALS.stream()
          .filter(name -> !name.equalsIgnoreCase(HttpHeaders.AUTHORIZATION))
          .sorted()
          .toList();

  private static final String BEARER = "bearer";

  static RequestCredentials of(HttpHeaders headers, @Nullable String rawQuery) {
    Set<String> ours = new LinkedHashSet<>();
    Set<String> others = new LinkedHashSet<>();
    headers.getOrEmpty(OURS).forEach(value -> add(ours, value));
    headers.getOrEmpty(HttpHeaders.AUTHORIZATION).forEach(value -> add(others, token(value)));
    for (String name : OTHERS) {
      headers.getOrEmpty(name).forEach(value -> add(others, value));
    }
    if (rawQuery != null) {
      inQuery(rawQuery, others);
    }
    return new RequestCredentials(ours, others);
  }

  /** Returns the token after {@code Bearer}, in whatever case; empty for any other scheme. */
  private static String token(String authorization) {
    String value = authorization.strip();
    boolean bearer =
        value.length() > BEARER.length()
            && value.regionMatches(true, 0, BEARER, 0, BEARER.length())
            && Character.isWhitespace(value.charAt(BEARER.length()));
    return bearer ? value.substring(BEARER.length()) : "";
  }

  private static void inQuery(String rawQuery, Set<String> found) {
    for (String part : rawQuery.split("&", -1)) {
      int equals = part.indexOf('=');
      if (equals > 0 && decoded(part.substring(0, equals)).equals("key")) {
        add(found, decoded(part.substring(equals + 1)));
      }
    }
  }

  private static String decoded(String value) {
    try {
      return URLDecoder.decode(value, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      return value; // which matches no key
    }
  }

  private static void add(Set<String> found, String value) {
    String secret = value.strip();
    if (!secret.isEmpty()) {
      found.add(secret);
    }
  }

  /** Returns the secrets from both kinds of places. */
  Set<String> all() {
    Set<String> all = new LinkedHashSet<>(ours);
    all.addAll(others);
    return all;
  }

  /** Keeps the secrets out of logs and dumps of objects. */
  @Override
  public String toString() {
    return "Credentials[…]";
  }
}
