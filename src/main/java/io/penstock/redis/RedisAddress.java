package io.penstock.redis;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Address of Redis. Its text never contains the password.
 *
 * @param kind how its servers are organized
 * @param tls whether connections are encrypted
 * @param nodes {@code host:port} of servers, or of sentinels; exactly one for a single server
 * @param database 0 and above; always 0 for a cluster
 * @param master name by which sentinels know it; null for other kinds
 * @param user to log in; null for the default user of Redis
 * @param password of the user; null for none
 */
public record RedisAddress(
    Kind kind,
    boolean tls,
    List<String> nodes,
    int database,
    @Nullable String master,
    @Nullable String user,
    @Nullable String password) {
  /** Organization of the servers. */
  public enum Kind {
    /** One server. */
    SINGLE,
    /** One server at a time, which sentinels name. */
    SENTINEL,
    /** Many servers, each with some of the slots. */
    CLUSTER
  }

  private static final String EXPECTED =
      "expected redis://HOST:PORT, redis-sentinel://HOST,HOST#MASTER or redis-cluster://HOST,HOST,"
          + " with rediss for TLS";

  private static final Pattern URL =
      Pattern.compile(
          "(?<scheme>redis|rediss|redis-sentinel|rediss-sentinel|redis-cluster|rediss-cluster)://"
              + "(?:(?<login>[^@/]*)@)?(?<nodes>[^/@#?]+)(?:/(?<database>\\d{1,4})?)?"
              + "(?:#(?<master>[A-Za-z0-9._-]+))?");

  private static final Pattern NODE =
      Pattern.compile("(?<host>\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(?::(?<port>\\d{1,5}))?");

  public RedisAddress {
    nodes = List.copyOf(nodes);
  }

  /**
   * Reads an address from the configuration.
   *
   * @param user to log in; null for the user in the URL
   * @param password of the user; null for the one in the URL
   * @throws IllegalArgumentException when the address is invalid; the message does not contain the
   *     password
   */
  public static RedisAddress parse(String url, @Nullable String user, @Nullable String password) {
    Matcher parts = URL.matcher(url);
    if (!parts.matches()) {
      throw new IllegalArgumentException("is no address of Redis, " + EXPECTED);
    }
    String scheme = parts.group("scheme");
    Kind kind =
        scheme.endsWith("sentinel")
            ? Kind.SENTINEL
            : scheme.endsWith("cluster") ? Kind.CLUSTER : Kind.SINGLE;
    String database = parts.group("database");
    RedisAddress address =
        new RedisAddress(
            kind,
            scheme.startsWith("rediss"),
            nodes(parts.group("nodes"), kind == Kind.SENTINEL ? 26_379 : 6_379),
            database == null ? 0 : Integer.parseInt(database),
            parts.group("master"),
            user == null ? login(parts.group("login"), true) : user,
            password == null ? login(parts.group("login"), false) : password);
    address.check();
    return address;
  }

  private void check() {
    if (kind == Kind.SINGLE && nodes.size() != 1) {
      throw new IllegalArgumentException("has %d servers, ".formatted(nodes.size()) + EXPECTED);
    }
    if ((kind == Kind.SENTINEL) != (master != null)) {
      throw new IllegalArgumentException(
          kind == Kind.SENTINEL
              ? "names no master, expected redis-sentinel://HOST,HOST#MASTER"
              : "names a master, which only sentinels know, " + EXPECTED);
    }
    if (kind == Kind.CLUSTER && database != 0) {
      throw new IllegalArgumentException(
          "has database %d, but a cluster only 0".formatted(database));
    }
    if (user != null && password == null) {
      throw new IllegalArgumentException("names a user without a password");
    }
  }

  /**
   * Returns a part of the login, in the form that Redis uses: {@code user:password}, and {@code
   * :password} for the default user.
   */
  private static @Nullable String login(@Nullable String login, boolean user) {
    if (login == null) {
      return null;
    }
    int colon = login.indexOf(':');
    String part = user ? login.substring(0, Math.max(0, colon)) : login.substring(colon + 1);
    if (part.isEmpty()) {
      return null;
    }
    try {
      return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException bad) {
      // Without the cause: its message contains a part of what may be the password.
      throw new IllegalArgumentException("has a login that is not percent-encoded");
    }
  }

  private static List<String> nodes(String text, int port) {
    List<String> nodes = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      Matcher node = NODE.matcher(each.strip());
      if (!node.matches()) {
        throw new IllegalArgumentException(
            "has a server that is no HOST or HOST:PORT, " + EXPECTED);
      }
      int own = node.group("port") == null ? port : Integer.parseInt(node.group("port"));
      if (own < 1 || own > 65_535) {
        throw new IllegalArgumentException("has port %d, expected 1 to 65535".formatted(own));
      }
      nodes.add(node.group("host") + ":" + own);
    }
    return nodes;
  }

  @Override
  public String toString() {
    return "Redis (" + kind.name().toLowerCase(Locale.ROOT) + ") at " + String.join(", ", nodes);
  }
}
