package io.penstock.gateway.request;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Tells clients apart by their addresses. {@code X-Forwarded-For} is believed only as far as
 * trusted proxies wrote it. Safe from any thread.
 */
public final class ClientAddress {
  private static final String FORWARDED_FOR = "X-Forwarded-For";
  private static final String UNKNOWN = "unknown";

  private final @Nullable Pattern trusted;

  /**
   * Creates a classifier.
   *
   * @param trusted a regular expression for the addresses of trusted proxies; null or empty for
   *     none
   */
  public ClientAddress(@Nullable String trusted) {
    this.trusted = trusted == null || trusted.isBlank() ? null : Pattern.compile(trusted);
  }

  /** Returns an object that is equal for all requests of one client. */
  public Object of(ServerHttpRequest request) {
    InetAddress client = exact(request);
    return client == null ? UNKNOWN : client(client);
  }

  /** Returns the address of the client, or null where the connection has none. */
  public @Nullable InetAddress exact(ServerHttpRequest request) {
    InetSocketAddress peer = request.getRemoteAddress();
    if (peer == null || peer.getAddress() == null) {
      return null;
    }
    InetAddress last = peer.getAddress();
    return trusts(last) ? forwarded(last, request.getHeaders()) : last;
  }

  /**
   * Returns the last address that does not belong to a trusted proxy, or the first address if all
   * do.
   */
  private InetAddress forwarded(InetAddress peer, HttpHeaders headers) {
    List<String> named = new ArrayList<>();
    for (String line : headers.getOrEmpty(FORWARDED_FOR)) {
      named.addAll(List.of(line.split(",")));
    }
    InetAddress client = peer;
    for (String each : named.reversed()) {
      InetAddress next = address(each.strip());
      if (next == null) {
        return client;
      }
      client = next;
      if (!trusts(client)) {
        return client;
      }
    }
    return client;
  }

  private static @Nullable InetAddress address(String literal) {
    try {
      return InetAddress.ofLiteral(literal);
    } catch (IllegalArgumentException none) {
      return null; // the proxy that wrote this is the last known address
    }
  }

  private boolean trusts(InetAddress address) {
    return trusted != null && trusted.matcher(address.getHostAddress()).matches();
  }

  /**
   * Returns the identity of an address. A client with one IPv6 address has all of its /64, so only
   * the upper 64 bits count.
   */
  private static Object client(InetAddress address) {
    return address instanceof Inet6Address
        ? (Object) ByteBuffer.wrap(address.getAddress()).getLong()
        : address;
  }
}
