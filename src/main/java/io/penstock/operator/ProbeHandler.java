package io.penstock.operator;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.provider.ProbeRequest;
import io.penstock.time.Ticker;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.netty.ByteBufMono;
import reactor.netty.http.Http11SslContextSpec;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.SslProvider.GenericSslContextSpec;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends one request to an endpoint as a client would: through the gateway's port and all its
 * limits, and at the provider's price.
 */
final class ProbeHandler {
  /** Longest time that the probe waits in the queue. */
  private static final Duration WAIT = Duration.ofSeconds(30);

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String KEY = "x-penstock-key";

  private static final GenericSslContextSpec<SslContextBuilder> ANY_CERTIFICATE =
      Http11SslContextSpec.forClient()
          .configure(its -> its.trustManager(InsecureTrustManagerFactory.INSTANCE));

  /**
   * The gateway's port.
   *
   * @param secure whether it uses TLS
   */
  record Port(InetSocketAddress address, boolean secure) {}

  private final EndpointRegistry registry;
  private final Supplier<Port> port;
  private final HttpClient client;
  private final Ticker ticker;

  ProbeHandler(EndpointRegistry registry, Supplier<Port> port, LoopResources loops, Ticker ticker) {
    this.registry = registry;
    this.port = port;
    this.ticker = ticker;
    this.client = HttpClient.newConnection().runOn(loops).responseTimeout(PATIENCE);
  }

  /** Sends a request to {@code ?path=}, for {@code ?model=} if given. */
  Mono<ServerResponse> send(ServerRequest request) {
    Optional<String> path = request.queryParam("path");
    if (path.isEmpty()) {
      return ProblemAnswer.answering(HttpStatus.BAD_REQUEST, "?path= is expected");
    }
    Endpoint endpoint = registry.at(path.get());
    if (endpoint == null) {
      return EndpointsHandler.none();
    }
    ProbeRequest probeRequest =
        ProbeRequest.of(endpoint.spec(), request.queryParam("model").orElse(null));
    long began = ticker.nanos();
    return sent(probeRequest, request.headers().firstHeader(KEY))
        .flatMap(response -> OperatorJson.answer(came(response, began)))
        .onErrorResume(
            error ->
                ProblemAnswer.answering(
                    HttpStatus.BAD_GATEWAY, "the gateway's own port did not answer"));
  }

  private Mono<HttpClientResponse> sent(ProbeRequest probeRequest, @Nullable String key) {
    Port to = port.get();
    HttpClient.ResponseReceiver<?> receiver =
        connecting(to)
            .headers(headers -> write(headers, probeRequest, key))
            .request(HttpMethod.valueOf(probeRequest.method()))
            .uri(
                URI.create(
                    (to.secure() ? "https://" : "http://")
                        + host(to.address())
                        + ":"
                        + to.address().getPort()
                        + probeRequest.path()))
            .send(
                probeRequest.json() == null
                    ? Mono.empty()
                    : ByteBufMono.fromString(Mono.just(probeRequest.json())));
    return receiver
        .response((response, body) -> body.doOnNext(part -> {}).then(Mono.just(response)))
        .next();
  }

  /** The certificate need not be verified, because the connection goes to this process itself. */
  private HttpClient connecting(Port to) {
    return to.secure() ? client.secure(ssl -> ssl.sslContext(ANY_CERTIFICATE)) : client;
  }

  private static String host(InetSocketAddress address) {
    String host = address.getHostString();
    return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
  }

  private static void write(HttpHeaders headers, ProbeRequest probeRequest, @Nullable String key) {
    headers.set("x-penstock-timeout", Long.toString(WAIT.toSeconds()));
    probeRequest.headers().forEach(headers::set);
    if (probeRequest.json() != null) {
      headers.set(HttpHeaderNames.CONTENT_TYPE, "application/json");
    }
    if (key != null) {
      headers.set(KEY, key);
    }
  }

  /** Returns the result; what the answer does not state is null. */
  private ObjectNode came(HttpClientResponse response, long beganNanos) {
    HttpHeaders headers = response.responseHeaders();
    return OperatorJson.object()
        .put("status", response.status().code())
        .put("reason", headers.get("x-penstock-reason"))
        .put("request_id", headers.get("x-request-id"))
        .put("upstream", headers.get("x-penstock-upstream"))
        .put("cost", number(headers.get("x-penstock-cost")))
        .put("waited_ms", number(headers.get("x-penstock-queued-ms")))
        .put("took_ms", (ticker.nanos() - beganNanos) / 1_000_000);
  }

  private static @Nullable Long number(@Nullable String text) {
    return text != null && text.matches("[0-9]{1,18}") ? Long.valueOf(text) : null;
  }
}
