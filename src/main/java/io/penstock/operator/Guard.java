package io.penstock.operator;

import io.penstock.config.HostNames;
import io.penstock.time.Ticker;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Mono;

/**
 * Who may use the operator port.
 *
 * <p>On a loopback address: whoever is on this machine, and no web page. A page of another site can
 * have a name of its own lead to 127.0.0.1, but it cannot have its browser send another name as the
 * host, nor leave out the origin of what it posts. Anywhere else, and wherever a token is set,
 * everything but health and the files of the console asks for that token; without one set, nobody
 * has it. Wrong tokens are {@linkplain FailedTokens counted}.
 *
 * <p>No answer says that other sites may read it, and all say that browsers are to keep them to
 * themselves.
 */
final class Guard implements HttpHandlerDecoratorFactory {
  /** The property with the token. */
  static final String TOKEN = "penstock.operator.token";

  private static final Set<String> HEALTH =
      Set.of("/actuator/health", "/actuator/health/liveness", "/actuator/health/readiness");

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.operator");

  private static final String POLICY = "Content-Security-Policy";

  private static final long SECOND_NANOS = 1_000_000_000L;

  private static final String SCHEME = "bearer ";

  private final boolean local;
  private final HostNames hosts;
  private final byte @Nullable [] token;
  private final FailedTokens failed = new FailedTokens();
  private final Ticker ticker;

  /**
   * Makes a guard.
   *
   * @param address the port is bound to; null is every address
   * @param configured the address as it was configured: a name, perhaps
   * @param token that is asked for; null or blank is none
   * @param ticker the clock
   */
  Guard(
      @Nullable InetAddress address,
      @Nullable String configured,
      @Nullable String token,
      Ticker ticker) {
    this.ticker = ticker;
    this.local = address != null && address.isLoopbackAddress();
    Set<String> names = new TreeSet<>(Set.of("127.0.0.1", "localhost", "::1"));
    if (address != null) {
      names.add(address.getHostAddress());
    }
    if (configured != null) {
      names.add(configured);
    }
    this.hosts = HostNames.of(names);
    this.token = token == null || token.isBlank() ? null : digest(token.strip());
  }

  @Override
  public HttpHandler apply(HttpHandler guarded) {
    return (request, response) -> {
      response.beforeCommit(() -> Mono.fromRunnable(() -> secure(request, response)));
      Problem problem = problem(request, response.getHeaders());
      return problem == null ? guarded.handle(request, response) : problem.write(response);
    };
  }

  private static void secure(ServerHttpRequest request, ServerHttpResponse response) {
    HttpHeaders headers = response.getHeaders();
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("X-Frame-Options", "DENY");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
    if (!headers.containsHeader(POLICY)) { // a page needs another
      headers.set(POLICY, "default-src 'none'; frame-ancestors 'none'");
    }
    if (response.getStatusCode() == HttpStatus.SERVICE_UNAVAILABLE && wantsStream(request)) {
      // it asks again: on this connection it would never find the gateway that comes after
      headers.set(HttpHeaders.CONNECTION, "close");
    }
  }

  private static boolean wantsStream(ServerHttpRequest request) {
    return request
        .getHeaders()
        .getOrEmpty(HttpHeaders.ACCEPT)
        .contains(MediaType.TEXT_EVENT_STREAM_VALUE);
  }

  /** Returns why a request is not let in, or null; some reasons come with a header. */
  private @Nullable Problem problem(ServerHttpRequest request, HttpHeaders answer) {
    if (local && !hosts.include(request.getHeaders().getOrEmpty(HttpHeaders.HOST))) {
      return Problem.of(HttpStatus.MISDIRECTED_REQUEST, "the operator port has another name");
    }
    if (local && foreign(request.getHeaders())) {
      return Problem.of(HttpStatus.FORBIDDEN, "pages of other sites may not ask");
    }
    boolean open = local && token == null;
    String path = request.getPath().pathWithinApplication().value();
    return open || HEALTH.contains(path) || ConsolePage.has(path)
        ? null
        : distrust(request, answer);
  }

  private @Nullable Problem distrust(ServerHttpRequest request, HttpHeaders answer) {
    String authorization = request.getHeaders().getFirst(HttpHeaders.AUTHORIZATION);
    InetSocketAddress from = request.getRemoteAddress();
    InetAddress address = from == null ? null : from.getAddress();
    long now = ticker.nanos();
    long shutNanos = failed.shutNanos(address, now);
    if (authorization != null && shutNanos > 0) {
      answer.set(HttpHeaders.RETRY_AFTER, Long.toString(Math.ceilDiv(shutNanos, SECOND_NANOS)));
      return Problem.of(HttpStatus.TOO_MANY_REQUESTS, "too many wrong tokens came from here");
    }
    if (authorization != null && hasToken(authorization)) {
      return null;
    }
    if (authorization != null && failed.failed(address, now)) {
      LOG.warn("wrong operator tokens come from {}: shut out for up to a minute", address);
    }
    answer.set(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"operator\"");
    return Problem.of(HttpStatus.UNAUTHORIZED, "this needs the operator token");
  }

  private static boolean foreign(HttpHeaders headers) {
    String host = headers.getFirst(HttpHeaders.HOST);
    return headers.getOrEmpty(HttpHeaders.ORIGIN).stream()
        .anyMatch(origin -> !HostNames.isOriginOf(origin, host));
  }

  private boolean hasToken(String authorization) {
    if (token == null || !authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return false;
    }
    // Digests are of one length, so that not even the length of the token shows in the time.
    return MessageDigest.isEqual(token, digest(authorization.substring(SCHEME.length()).strip()));
  }

  private static byte[] digest(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }
}
