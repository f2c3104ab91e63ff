package io.penstock.gateway.forward;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells which locations in answers are inside of the operator's network, or at the upstream itself:
 * they would tell clients of hosts that these cannot reach, or lead them past the gateway.
 */
final class InternalLocation {
  /** Headers of answers that state a location, in lower case. */
  private static final Set<String> HEADERS = Set.of("location", "content-location");

  /** Ends of names that public DNS does not have. */
  private static final List<String> PRIVATE_DOMAINS =
      List.of(".local", ".internal", ".localhost", ".svc", ".lan", ".intranet", ".home.arpa");

  private InternalLocation() {}

  /** Returns whether a header of an answer, in lower case, states a location. */
  static boolean isStatedBy(String header) {
    return HEADERS.contains(header);
  }

  /**
   * Returns whether a location is internal, which all are that do not name another, public host.
   *
   * @param location the value of the header
   * @param upstream the host of the upstream that answered; null when it is not known
   */
  static boolean is(String location, @Nullable String upstream) {
    URI uri;
    try {
      uri = new URI(location.strip());
    } catch (URISyntaxException unreadable) {
      return true; // a client may read a host in it that was not seen here
    }
    String scheme = uri.getScheme();
    String host = uri.getHost();
    if (host == null || !("https".equalsIgnoreCase(scheme) || "http".equalsIgnoreCase(scheme))) {
      return true;
    }
    String name = plain(host);
    return (upstream != null && name.equals(plain(upstream))) || isPrivate(name);
  }

  /** Returns a host in lower case, without the brackets of an address or a dot at the end. */
  private static String plain(String host) {
    String lower = host.toLowerCase(Locale.ROOT);
    if (lower.startsWith("[") && lower.endsWith("]")) {
      return lower.substring(1, lower.length() - 1);
    }
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }

  private static boolean isPrivate(String host) {
    InetAddress address;
    try {
      address = InetAddress.ofLiteral(host);
    } catch (IllegalArgumentException name) {
      return host.indexOf('.') < 0 || PRIVATE_DOMAINS.stream().anyMatch(host::endsWith);
    }
    byte[] bytes = address.getAddress();
    boolean unique = address instanceof Inet6Address && (bytes[0] & 0xfe) == 0xfc; // RFC 4193
    boolean carrier = bytes.length == 4 && bytes[0] == 100 && (bytes[1] & 0xc0) == 64; // RFC 6598
    return unique
        || carrier
        || address.isLoopbackAddress()
        || address.isSiteLocalAddress()
        || address.isLinkLocalAddress()
        || address.isAnyLocalAddress();
  }
}
