package io.penstock.operator;

import io.penstock.config.HostNames;
import io.penstock.time.Ticker;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
 * Access check of the operator port.
 *
 * <p>On a loopback address, processes on this machine have access, but web pages do not. A page of
 * another site can make a name of its own resolve to 127.0.0.1, but it cannot make the browser send
 * a different Host header, nor omit the Origin of a POST, nor Sec-Fetch-Site. On any other address,
 * and whenever a token is set, everything except health and the files of the console requires that
 * token; if none is set there, nobody has access. Wrong tokens are {@linkplain FailedTokens
 * counted}, and after too many of them further ones from the same source are refused as such. The
 * right token still passes, because Prometheus may have the same address as a guesser, unless it is
 * so short that it could be guessed.
 *
 * <p>No answer allows other sites to read it, and all answers forbid browsers to store them.
 */
final class OperatorGuard implements HttpHandlerDecoratorFactory {
  /** Receiver of what operators do. */
  @FunctionalInterface
  interface Actions {
    /** Notes that a request was answered; {@code who} is the name of its token. */
    void answered(String who, ServerHttpRequest request, ServerHttpResponse response);
  }

  /** A token. */
  @SuppressWarnings("ArrayRecordComponent") // compared in constant time
  private record Token(String owner, byte[] digest) {}

  private static final Set<String> HEALTH =
      Set.of("/actuator/health", "/actuator/health/liveness", "/actuator/health/readiness");

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.operator");

  private static final String POLICY = "Content-Security-Policy";

  private static final long SECOND_NANOS = 1_000_000_000L;

  private static final String SCHEME = "bearer ";

  /** Name of operators where no token is needed. */
  private static final String LOOPBACK = "loopback";

  /** Length from which on a token cannot be found by trying, even if all tries are examined. */
  private static final int UNGUESSABLE_LENGTH = 16;

  private final boolean local;
  private final HostNames hosts;

  private final List<Token> tokens;
  private final Actions actions;

  private final boolean guessable;
  private final FailedTokens failed = new FailedTokens();
  private final Ticker ticker;

  /**
   * Creates a guard.
   *
   * @param address the address the port is bound to; null means every address
   * @param configured the address as configured, possibly a host name
   * @param tokens the tokens, of which one is required, by the names of their owners; blank ones
   *     count as not set
   * @param actions is told of each request that was let in and answered
   * @param ticker the clock
   */
  OperatorGuard(
      @Nullable InetAddress address,
      @Nullable String configured,
      Map<String, String> tokens,
      Actions actions,
      Ticker ticker) {
    this.ticker = ticker;
    this.local = address != null && address.isLoopbackAddress();
    this.hosts = HostNames.of(names(address, configured));
    this.actions = actions;
    Map<String, String> set = notBlank(tokens);
    this.tokens =
        set.entrySet().stream()
            .map(each -> new Token(each.getKey(), digest(each.getValue().strip())))
            .toList();
    this.guessable =
        set.values().stream().anyMatch(each -> each.strip().length() < UNGUESSABLE_LENGTH);
  }

  private static Map<String, String> notBlank(Map<String, String> tokens) {
    Map<String, String> set = new TreeMap<>(tokens);
    set.values().removeIf(String::isBlank);
    return set;
  }

  private static Set<String> names(@Nullable InetAddress address, @Nullable String configured) {
    Set<String> names = new TreeSet<>(Set.of("127.0.0.1", "localhost", "::1"));
    if (address != null) {
      names.add(address.getHostAddress());
    }
    if (configured != null) {
      names.add(configured);
    }
    return names;
  }

  /** Returns who sent a request that was let in: the name of its token, or {@code loopback}. */
  private String nameOf(ServerHttpRequest request) {
    String authorization = request.getHeaders().getFirst(HttpHeaders.AUTHORIZATION);
    String name = authorization == null ? null : owner(authorization);
    return name == null ? LOOPBACK : name;
  }

  @Override
  public HttpHandler apply(HttpHandler guarded) {
    return (request, response) -> {
      response.beforeCommit(() -> Mono.fromRunnable(() -> secure(request, response)));
      ProblemAnswer problemAnswer = problem(request, response.getHeaders());
      if (problemAnswer != null) {
        return problemAnswer.write(response);
      }
      // The action is in the record before its operator has the answer.
      response.beforeCommit(
          () -> Mono.fromRunnable(() -> actions.answered(nameOf(request), request, response)));
      return guarded.handle(request, response);
    };
  }

  private static void secure(ServerHttpRequest request, ServerHttpResponse response) {
    HttpHeaders headers = response.getHeaders();
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("X-Frame-Options", "DENY");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
    if (!headers.containsHeader(POLICY)) { // the console page has its own policy
      headers.set(POLICY, "default-src 'none'; frame-ancestors 'none'");
    }
    if (response.getStatusCode() == HttpStatus.SERVICE_UNAVAILABLE && wantsStream(request)) {
      // The client reconnects. On this connection it would never reach the gateway that replaces
      // this one.
      headers.set(HttpHeaders.CONNECTION, "close");
    }
  }

  private static boolean wantsStream(ServerHttpRequest request) {
    return request
        .getHeaders()
        .getOrEmpty(HttpHeaders.ACCEPT)
        .contains(MediaType.TEXT_EVENT_STREAM_VALUE);
  }

  /** Returns why a request is refused, or null if it is allowed; some reasons also set a header. */
  private @Nullable ProblemAnswer problem(ServerHttpRequest request, HttpHeaders answer) {
    if (local && !hosts.include(request.getHeaders().getOrEmpty(HttpHeaders.HOST))) {
      return ProblemAnswer.of(HttpStatus.MISDIRECTED_REQUEST, "the operator port has another name");
    }
    String path = request.getPath().pathWithinApplication().value();
    if (local && foreign(request.getHeaders(), path)) {
      return ProblemAnswer.of(HttpStatus.FORBIDDEN, "pages of other sites may not ask");
    }
    boolean open = local && tokens.isEmpty();
    return open || HEALTH.contains(path) || ConsolePage.has(path)
        ? null
        : distrust(request, answer);
  }

  private @Nullable ProblemAnswer distrust(ServerHttpRequest request, HttpHeaders answer) {
    String authorization = request.getHeaders().getFirst(HttpHeaders.AUTHORIZATION);
    InetSocketAddress from = request.getRemoteAddress();
    InetAddress address = from == null ? null : from.getAddress();
    long now = ticker.nanos();
    long shutNanos = failed.shutNanos(address, now);
    boolean right = authorization != null && owner(authorization) != null;
    if (right && (shutNanos == 0 || !guessable)) {
      return null;
    }
    if (authorization != null && shutNanos > 0) {
      answer.set(HttpHeaders.RETRY_AFTER, Long.toString(Math.ceilDiv(shutNanos, SECOND_NANOS)));
      return ProblemAnswer.of(HttpStatus.TOO_MANY_REQUESTS, "too many wrong tokens came from here");
    }
    if (authorization != null && failed.failed(address, now)) {
      LOG.warn("wrong operator tokens come from {}: shut out for up to a minute", address);
    }
    answer.set(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"operator\"");
    return ProblemAnswer.of(HttpStatus.UNAUTHORIZED, "this needs the operator token");
  }

  /**
   * Returns whether a page of another site asks for more than the console, to which it may link.
   */
  private static boolean foreign(HttpHeaders headers, String path) {
    List<String> sites = ConsolePage.has(path) ? List.of() : headers.getOrEmpty(HostNames.SITE);
    return HostNames.isForeignPage(
        headers.getFirst(HttpHeaders.HOST), headers.getOrEmpty(HttpHeaders.ORIGIN), sites);
  }

  /** Returns the name of the token's owner, or null when the token is wrong. */
  private @Nullable String owner(String authorization) {
    if (!authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return null;
    }
    byte[] sent = digest(authorization.substring(SCHEME.length()).strip());
    String owner = null;
    for (Token each : tokens) {
      // Digests have equal lengths, so the comparison time does not reveal even the token's length.
      owner = MessageDigest.isEqual(each.digest(), sent) ? each.owner() : owner;
    }
    return owner;
  }

  private static byte[] digest(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }
}
