package io.penstock.provider;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.pool.UpstreamSpec;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.netty.ByteBufFlux;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;
import tools.jackson.core.JacksonException;

/**
 * Asks a provider to count the input of a request, through one of its upstreams. Safe from any
 * thread.
 */
public final class ProviderCount implements AutoCloseable {
  /** Longest body that is sent for counting, in bytes. */
  static final int MOST_BYTES = 4 << 20;

  private static final int MOST_ANSWER_BYTES = 64 << 10;
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int CONNECTIONS = 16;
  private static final int WAITING = 256;
  private static final Duration MOST_IDLE = Duration.ofSeconds(30);
  private static final Duration MOST_AGE = Duration.ofMinutes(5);

  /** The result of a count. */
  public sealed interface Answer {
    /**
     * The provider counted.
     *
     * @param tokens input tokens, 0 to {@link Cost#MAX_TOKENS}
     */
    record Counted(long tokens) implements Answer {}

    /** The provider has no such call for this kind of request. */
    record NoCall() implements Answer {}

    /**
     * Counting failed.
     *
     * @param why in a few words, without content of the body
     */
    record Failed(String why) implements Answer {}
  }

  /**
   * A request to count, and the upstream to use.
   *
   * @param dialect the dialect of the request
   * @param path the request's own, below the upstream's address, raw
   * @param model the model name that the client used
   * @param header returns the value of a header of the request, or null
   */
  public record Ask(
      Dialect dialect,
      UpstreamSpec upstream,
      String path,
      String model,
      Function<String, @Nullable String> header) {}

  /** Thrown if the provider's answer is not the expected one. */
  private static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
      super(message, null, false, false);
    }
  }

  private final Function<UpstreamSpec, URI> addresses;
  private final Scheduler scheduler;
  private final ConnectionProvider connections;
  private final HttpClient client;
  private final Set<String> credentials;

  /**
   * Creates a client.
   *
   * @param addresses returns the addresses of upstreams
   * @param scheduler rewrites bodies; may reject work
   * @param loops the event loops of its calls
   * @param credentials names of the headers in which clients send credentials
   */
  public ProviderCount(
      Function<UpstreamSpec, URI> addresses,
      Scheduler scheduler,
      LoopResources loops,
      Set<String> credentials) {
    this.addresses = addresses;
    this.scheduler = scheduler;
    this.credentials = credentials;
    this.connections =
        ConnectionProvider.builder("penstock-count")
            .maxConnections(CONNECTIONS)
            .pendingAcquireMaxCount(WAITING)
            .maxIdleTime(MOST_IDLE)
            .maxLifeTime(MOST_AGE)
            .build();
    this.client = HttpClient.create(connections).runOn(loops);
  }

  /**
   * Counts the tokens of a body. Never ends with an error.
   *
   * @param size of the body, in bytes
   * @param body subscribed to only if there is a call, and on another thread
   */
  public Mono<Answer> count(Ask ask, long size, Mono<byte[]> body) {
    UpstreamSpec upstream = ask.upstream();
    CountCall call =
        ProviderProtocol.of(ask.dialect())
            .countCall(ask.path().replaceAll("/+$", ""), upstream.ownName(ask.model()));
    if (call == null) {
      return Mono.just(new Answer.NoCall());
    }
    if (upstream.link().tls() != null || upstream.link().proxy() != null) {
      return Mono.just(
          new Answer.Failed("nothing is counted through a proxy or with certificates of its own"));
    }
    if (size > MOST_BYTES) {
      return Mono.just(new Answer.Failed("the body is larger than " + MOST_BYTES + " bytes"));
    }
    return body.subscribeOn(scheduler)
        .map(call::body)
        .flatMap(request -> sent(ask, call, request))
        .timeout(PATIENCE)
        .defaultIfEmpty(new Answer.Failed("its answer is empty"))
        .onErrorResume(error -> Mono.just(new Answer.Failed(why(error))));
  }

  private Mono<Answer> sent(Ask ask, CountCall call, byte[] body) {
    String base = addresses.apply(ask.upstream()).toString();
    String trimmed = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    return client
        .headers(headers -> head(headers, ask, body.length))
        .post()
        .uri(URI.create(trimmed + call.path()))
        .send(Mono.fromSupplier(() -> Unpooled.wrappedBuffer(body)))
        .response(ProviderCount::read)
        .next()
        .map(answer -> counted(call, answer));
  }

  private void head(HttpHeaders headers, Ask ask, int length) {
    UpstreamSpec.Access access = ask.upstream().access();
    headers.set(HttpHeaderNames.CONTENT_TYPE, "application/json");
    headers.set(HttpHeaderNames.CONTENT_LENGTH, length);
    headers.set(HttpHeaderNames.ACCEPT_ENCODING, "identity");
    ProviderProtocol protocol = ProviderProtocol.of(ask.dialect());
    protocol.headers().forEach(headers::set);
    protocol.versionHeaders().forEach(name -> pass(headers, ask, name));
    if (access.passthrough()) {
      credentials.forEach(name -> pass(headers, ask, name));
    }
    if (access.apiKey() != null) {
      protocol.credentials(access.apiKey()).forEach(headers::set);
    }
    access.headers().forEach(headers::set);
  }

  private static void pass(HttpHeaders headers, Ask ask, String name) {
    String value = ask.header().apply(name);
    if (value != null) {
      headers.set(name, value);
    }
  }

  private static Mono<byte[]> read(HttpClientResponse response, ByteBufFlux content) {
    int status = response.status().code();
    if (status != 200) {
      return Mono.error(new Refused("it answered " + status));
    }
    return content
        .asByteArray()
        .scanWith(ByteArrayOutputStream::new, ProviderCount::with)
        .takeUntil(all -> all.size() > MOST_ANSWER_BYTES)
        .last()
        .map(ProviderCount::whole);
  }

  private static ByteArrayOutputStream with(ByteArrayOutputStream all, byte[] piece) {
    all.writeBytes(piece);
    return all;
  }

  private static byte[] whole(ByteArrayOutputStream all) {
    if (all.size() > MOST_ANSWER_BYTES) {
      throw new Refused("its answer is longer than " + MOST_ANSWER_BYTES + " bytes");
    }
    return all.toByteArray();
  }

  private static Answer counted(CountCall call, byte[] answer) {
    long tokens = call.tokens(answer);
    return tokens < 0
        ? new Answer.Failed("its answer states no count")
        : new Answer.Counted(Math.min(tokens, Cost.MAX_TOKENS));
  }

  private static String why(Throwable error) {
    return switch (error) {
      case Refused refused -> String.valueOf(refused.getMessage());
      case TimeoutException late -> "there was no answer in " + PATIENCE.toSeconds() + " s";
      case JacksonException unreadable -> "the body is not JSON";
      default -> error.getClass().getSimpleName();
    };
  }

  @Override
  public void close() {
    connections.dispose();
  }
}
