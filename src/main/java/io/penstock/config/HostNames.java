package io.penstock.config;

import java.net.InetAddress;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A set of host names under which a port serves requests. Ignores case, a trailing dot, the port,
 * and the notation of IP addresses. Immutable.
 */
public final class HostNames {
  private static final String WILDCARD = "*.";

  /** The value of a Host header (RFC 9110, section 7.2), restricted to names that DNS can have. */
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(?::[0-9]{0,5})?");

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*\\.?");

  private static final Pattern IPV4 = Pattern.compile("[0-9.]+");

  /** Header in which a browser tells whether a page of another site sends the request. */
  public static final String SITE = "Sec-Fetch-Site";

  /** Values of Sec-Fetch-Site for pages of the same origin, and for the user of the browser. */
  private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

  /** Matches every host, and a missing Host header. */
  public static final HostNames ANY = of(Set.of("*"));

  private final Set<String> names = new HashSet<>();
  private final Set<String> suffixes = new HashSet<>();
  private final boolean any;
  private final boolean loopback;

  private HostNames(Collection<String> entries, boolean loopback) {
    this.any = entries.contains("*");
    this.loopback = loopback;
    for (String entry : entries) {
      if (entry.startsWith(WILDCARD)) {
        suffixes.add(canonical(entry.substring(1)));
      } else {
        names.add(canonical(entry));
      }
    }
  }

  /**
   * Returns a set of entries that {@link #isEntry} accepts: names, IP addresses, {@code *.NAME} for
   * all names below a name, and {@code *} for every host.
   */
  public static HostNames of(Collection<String> entries) {
    return new HostNames(entries, false);
  }

  /** Returns the same set, extended by all names of this machine's loopback interface. */
  public static HostNames withLoopback(Collection<String> entries) {
    return new HostNames(entries, true);
  }

  /** Returns whether a text is a name, an address, or a pattern of names. */
  public static boolean isEntry(String text) {
    if (text.equals("*")) {
      return true;
    }
    if (text.startsWith(WILDCARD)) {
      return NAME.matcher(text.substring(WILDCARD.length())).matches();
    }
    boolean address = text.indexOf(':') >= 0 || IPV4.matcher(text).matches();
    return address ? literal(text) != null : NAME.matcher(text).matches();
  }

  /** Returns whether a request is for one of the names, given all values of its Host header. */
  public boolean include(List<String> hosts) {
    if (any) {
      return true;
    }
    Matcher host = hosts.size() == 1 ? HOST.matcher(hosts.getFirst()) : null;
    if (host == null || !host.matches()) {
      return false;
    }
    String name = canonical(host.group(1));
    return names.contains(name)
        || suffixes.stream().anyMatch(name::endsWith)
        || (loopback && isLoopback(name));
  }

  /**
   * Returns whether a browser sent a request for a page of another origin: by the headers in which
   * it says so, which pages cannot change. A page from another port of this machine is same-site,
   * but not same-origin. Other programs send neither header.
   *
   * @param host the value of the Host header
   * @param origins the values of the Origin header, which browsers omit from simple requests to
   *     read
   * @param sites the values of the Sec-Fetch-Site header
   */
  public static boolean isForeignPage(
      @Nullable String host, List<String> origins, List<String> sites) {
    return !origins.stream().allMatch(origin -> isOriginOf(origin, host))
        || !OWN_SITES.containsAll(sites);
  }

  /** Returns whether an origin has the same host as a Host header. */
  private static boolean isOriginOf(String origin, @Nullable String host) {
    return host != null
        && (origin.equalsIgnoreCase("http://" + host)
            || origin.equalsIgnoreCase("https://" + host));
  }

  /**
   * Returns whether a name denotes the loopback interface; names below localhost do, too (RFC 6761,
   * section 6.3).
   */
  private static boolean isLoopback(String name) {
    if (name.equals("localhost") || name.endsWith(".localhost")) {
      return true;
    }
    boolean address = name.indexOf(':') >= 0 || IPV4.matcher(name).matches();
    InetAddress literal = address ? literal(name) : null;
    return literal != null && literal.isLoopbackAddress();
  }

  private static String canonical(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    String ended = lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    boolean address = ended.indexOf(':') >= 0 || IPV4.matcher(ended).matches();
    InetAddress literal = address ? literal(ended) : null;
    return literal == null ? ended : literal.getHostAddress();
  }

  /**
   * Returns the IP address that a text denotes, with or without brackets, or null. Never queries
   * DNS.
   */
  private static @Nullable InetAddress literal(String text) {
    boolean brackets = text.startsWith("[") && text.endsWith("]");
    try {
      return InetAddress.ofLiteral(brackets ? text.substring(1, text.length() - 1) : text);
    } catch (IllegalArgumentException none) {
      return null;
    }
  }
}
