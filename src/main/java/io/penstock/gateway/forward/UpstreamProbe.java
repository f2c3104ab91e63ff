package io.penstock.gateway.forward;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.penstock.cost.Dialect;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.gateway.request.UpstreamFailure;
import io.penstock.pool.ProbeResult;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.ModelsCall;
import io.penstock.provider.ProviderProtocol;
import io.penstock.wire.UpstreamConnections;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.LoopResources;

/**
 * Asks an upstream once whether it works: for its list of models, or, where its dialect has none or
 * only clients have a credential, for no more than a connection. Uses a connection of its own, with
 * the upstream's certificates and proxy. Safe from any thread.
 */
public final class UpstreamProbe {
  /** By this name providers tell probes from the calls of clients. */
  private static final String AGENT = "penstock-probe";

  private static final Duration MOST = Duration.ofNanos(Upstream.PROBE_NANOS);

  /**
   * The outcome of a probe.
   *
   * @param cause why it failed, for operators; null when it did not
   */
  record Outcome(ProbeResult result, @Nullable String cause) {}

  private final UpstreamAddress addresses;
  private final UpstreamConnections upstreamConnections;
  private final EndpointRegistry endpointRegistry;
  private final LoopResources loops;

  /** Creates a probe that learns from the endpoints which dialect an upstream speaks. */
  public UpstreamProbe(
      UpstreamAddress addresses,
      UpstreamConnections upstreamConnections,
      EndpointRegistry endpointRegistry,
      LoopResources loops) {
    this.addresses = addresses;
    this.upstreamConnections = upstreamConnections;
    this.endpointRegistry = endpointRegistry;
    this.loops = loops;
  }

  /**
   * Returns the outcome, after 5 s at most; never an error. Cancelling it closes the connection.
   */
  Mono<Outcome> ask(UpstreamSpec spec) {
    return Mono.defer(() -> asked(spec))
        .timeout(MOST)
        .defaultIfEmpty(
            new Outcome(ProbeResult.UNREACHABLE, "a probe was closed without an answer"))
        .onErrorResume(error -> Mono.just(new Outcome(ProbeResult.UNREACHABLE, why(error, spec))));
  }

  private static String why(Throwable error, UpstreamSpec spec) {
    UpstreamFailure failure = UpstreamFailure.of(error);
    if (failure != null) {
      return failure.of(spec);
    }
    return error instanceof TimeoutException
        ? "a probe had no answer in " + MOST.toSeconds() + " s"
        : "a probe failed: " + error.getClass().getSimpleName();
  }

  private Mono<Outcome> asked(UpstreamSpec spec) {
    HttpClient client;
    try {
      client = upstreamConnections.unpooled(spec, HttpClient.newConnection().runOn(loops));
    } catch (SSLException unreadable) {
      return Mono.error(unreadable);
    }
    EndpointSpec endpoint = spec.access().passthrough() ? null : endpointOf(spec);
    URI base = addresses.of(spec);
    URI models = endpoint == null ? null : ModelsCall.at(endpoint, base);
    return endpoint == null || models == null
        ? connected(client, base)
        : listed(client, spec, endpoint.reading().dialect(), models);
  }

  /** Returns an endpoint that shows how the upstream is asked, or null when none does. */
  private @Nullable EndpointSpec endpointOf(UpstreamSpec spec) {
    for (Endpoint endpoint : endpointRegistry.all()) {
      EndpointSpec each = endpoint.spec();
      boolean uses = each.upstreams().stream().anyMatch(of -> of.id().equals(spec.id()));
      if (uses && ModelsCall.exists(each.reading().dialect())) {
        return each;
      }
    }
    return null;
  }

  private static Mono<Outcome> listed(
      HttpClient client, UpstreamSpec spec, Dialect dialect, URI models) {
    return client
        .headers(headers -> head(headers, spec, dialect))
        .get()
        .uri(models)
        .responseConnection(
            (answer, connection) -> {
              connection.dispose(); // the list itself is of no interest
              return Mono.just(of(answer.status().code()));
            })
        .next();
  }

  private static void head(HttpHeaders headers, UpstreamSpec spec, Dialect dialect) {
    headers.set(HttpHeaderNames.USER_AGENT, AGENT);
    headers.set(HttpHeaderNames.ACCEPT, "application/json");
    ProviderProtocol protocol = ProviderProtocol.of(dialect);
    protocol.headers().forEach(headers::set);
    String apiKey = spec.access().apiKey();
    if (apiKey != null) {
      protocol.credentials(apiKey).forEach(headers::set);
    }
    spec.access().headers().forEach(headers::set);
    headers.remove(HttpHeaderNames.HOST); // the HTTP client sets that of the upstream
  }

  private static Outcome of(int status) {
    ProbeResult result = ProbeResult.of(status);
    return new Outcome(
        result, result == ProbeResult.ERROR ? "a probe was answered with " + status : null);
  }

  /** Connects, with TLS where the address asks for it, and sends nothing. */
  private static Mono<Outcome> connected(HttpClient client, URI base) {
    Sinks.Empty<Outcome> established = Sinks.empty();
    Mono<Outcome> nothing =
        client
            .request(HttpMethod.GET)
            .uri(base)
            .send(
                (head, outbound) -> {
                  established.tryEmitEmpty();
                  return Mono.never();
                })
            .response()
            .then(Mono.<Outcome>empty());
    return Mono.firstWithSignal(
        established.asMono().defaultIfEmpty(new Outcome(ProbeResult.WORKS, null)), nothing);
  }
}
