package io.penstock.wire;

import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.penstock.event.Event;
import io.penstock.event.EventSink;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.pool.UpstreamSpec;
import io.penstock.tenant.SharedState;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.transport.ProxyProvider;

/**
 * Connections to upstreams, in a pool for each upstream that is discarded with it. Limits decide
 * how much is in flight, so the pools are unbounded: a bound would be a second, invisible queue.
 * Only the number of connections being established is bounded, to {@value #ESTABLISHING} for each
 * upstream, because a listening socket keeps no more of them waiting.
 *
 * <p>A connection takes requests up to a certain age, and the one that is idle for the longest time
 * goes first. So all of them are replaced in turn, and a change of DNS or a new replica is seen.
 * Safe from any thread.
 */
public final class UpstreamConnections implements EventSink, SmartLifecycle, AutoCloseable {
  /** Longest backlog of a listening socket on Linux up to 5.3, {@code net.core.somaxconn}. */
  static final int ESTABLISHING = 128;

  /** The phase in which Spring stops the event loops. */
  private static final int EVENT_LOOPS = new ReactorResourceFactory().getPhase();

  private static final Duration MOST_IDLE = Duration.ofSeconds(30);

  /** The most bytes of headers that an answer may have. */
  public static final int HEAD_BYTES = 64 << 10;

  /**
   * Clients of one upstream.
   *
   * @param pooled takes idle connections first
   * @param fresh makes a connection for each request, and closes it afterwards
   */
  public record Clients(HttpClient pooled, HttpClient fresh) {}

  /** A pool of connections, and the clients of its upstream. */
  private record Link(UpstreamSpec.Link of, ConnectionProvider pool, Clients clients) {}

  private final UnaryOperator<HttpClient> customizer;
  private final UpstreamRegistry upstreamRegistry;

  @SharedState("connections to upstreams")
  private final ConcurrentMap<String, Link> byId = new ConcurrentHashMap<>();

  @SharedState("connections to upstreams")
  private final ConcurrentMap<String, ConnectLine> lines = new ConcurrentHashMap<>();

  /**
   * Creates the pools lazily, none yet.
   *
   * @param customizer applied to every client
   */
  public UpstreamConnections(
      UnaryOperator<HttpClient> customizer, UpstreamRegistry upstreamRegistry) {
    this.customizer = customizer;
    this.upstreamRegistry = upstreamRegistry;
  }

  /**
   * Returns the clients for an upstream, as it is configured now.
   *
   * @throws SSLException when its certificates cannot be read
   */
  public Clients clients(UpstreamSpec spec) throws SSLException {
    Link known = byId.get(spec.id());
    return known != null && known.of().equals(spec.link()) ? known.clients() : renewed(spec);
  }

  private synchronized Clients renewed(UpstreamSpec spec) throws SSLException {
    Link known = byId.get(spec.id());
    if (known != null && known.of().equals(spec.link())) {
      return known.clients();
    }
    Link made = made(spec);
    byId.put(spec.id(), made);
    if (known != null) {
      known.pool().dispose(); // answers that run keep their connections
    }
    return made.clients();
  }

  private Link made(UpstreamSpec spec) throws SSLException {
    ConnectionProvider pool =
        ConnectionProvider.builder("upstream " + spec.id())
            .maxConnections(Integer.MAX_VALUE)
            .pendingAcquireMaxCount(-1)
            .pendingAcquireTimeout(Duration.ZERO)
            .maxIdleTime(MOST_IDLE)
            .maxLifeTime(Duration.ofNanos(spec.link().timeouts().ageNanos()))
            .evictInBackground(MOST_IDLE)
            .fifo()
            .build();
    HttpClient pooled = linked(customizer.apply(HttpClient.create(pool)), spec);
    HttpClient fresh = linked(customizer.apply(HttpClient.newConnection()), spec);
    return new Link(spec.link(), pool, new Clients(pooled, fresh));
  }

  /**
   * Returns a client like that of an upstream, for a connection outside of its pool: one that
   * becomes another protocol, or that only shows whether it can be made.
   */
  public HttpClient unpooled(UpstreamSpec spec, HttpClient bare) throws SSLException {
    return linked(bare, spec);
  }

  private HttpClient linked(HttpClient bare, UpstreamSpec spec) throws SSLException {
    UpstreamSpec.Link link = spec.link();
    int millis = Math.clamp(link.timeouts().connectNanos() / 1_000_000, 1, 1_000_000_000);
    ConnectLine line = lines.computeIfAbsent(spec.id(), id -> new ConnectLine(ESTABLISHING));
    HttpClient client =
        bare.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, millis)
            .option(ChannelOption.RECVBUF_ALLOCATOR, ReadTurns.ONE_READ)
            .httpResponseDecoder(head -> head.maxHeaderSize(HEAD_BYTES))
            .doOnChannelInit((observer, channel, address) -> line.install(channel));
    if (link.tls() != null) {
      SslContext certificates = certificates(link.tls());
      client = client.secure(secure -> secure.sslContext(certificates));
    }
    // the mock provider in this process is reached without a proxy
    boolean proxied = link.proxy() != null && !"mock".equals(spec.url().getScheme());
    return proxied ? client.proxy(type -> proxy(type, link.proxy(), millis)) : client;
  }

  private static void proxy(ProxyProvider.TypeSpec type, @Nullable URI proxy, int connectMillis) {
    if (proxy == null) {
      return;
    }
    int port = proxy.getPort() < 0 ? 80 : proxy.getPort();
    ProxyProvider.Builder builder =
        type.type(ProxyProvider.Proxy.HTTP)
            .host(proxy.getHost())
            .port(port)
            .connectTimeoutMillis(connectMillis);
    String user = proxy.getUserInfo();
    if (user != null) {
      int colon = user.indexOf(':');
      String password = colon < 0 ? "" : user.substring(colon + 1);
      builder.username(colon < 0 ? user : user.substring(0, colon)).password(name -> password);
    }
  }

  private static SslContext certificates(UpstreamSpec.Tls tls) throws SSLException {
    SslContextBuilder builder = SslContextBuilder.forClient();
    try {
      if (tls.ca() != null) {
        try (InputStream trusted = Files.newInputStream(tls.ca())) {
          builder.trustManager(trusted);
        }
      }
      if (tls.cert() != null && tls.key() != null) {
        show(builder, tls.cert(), tls.key());
      }
      return builder.build();
    } catch (java.io.IOException | IllegalArgumentException unreadable) {
      throw new SSLException("the certificates cannot be read", unreadable);
    }
  }

  private static void show(SslContextBuilder builder, Path chain, Path secret)
      throws java.io.IOException {
    try (InputStream cert = Files.newInputStream(chain);
        InputStream key = Files.newInputStream(secret)) {
      builder.keyManager(cert, key);
    }
  }

  /** Discards the pools of upstreams that are no longer configured. */
  @Override
  public void publish(Event event) {
    if (event instanceof Event.Reloaded reloaded && reloaded.applied()) {
      Set<String> configured = new HashSet<>();
      for (Upstream upstream : upstreamRegistry.all()) {
        configured.add(upstream.spec().id());
      }
      retain(configured);
    }
  }

  private synchronized void retain(Set<String> configured) {
    lines.keySet().retainAll(configured); // connections that wait in a queue keep it
    for (String id : Set.copyOf(byId.keySet())) {
      Link removed = configured.contains(id) ? null : byId.remove(id);
      if (removed != null) {
        removed.pool().dispose();
      }
    }
  }

  @Override
  public void start() {
    // connections are made when they are asked for
  }

  /** Returns whether there are pools to be stopped. */
  @Override
  public boolean isRunning() {
    return !byId.isEmpty();
  }

  @Override
  public void stop() {
    close();
  }

  /**
   * Stops just before the event loops: once those have stopped, connections could only be closed
   * with an error.
   */
  @Override
  public int getPhase() {
    return EVENT_LOOPS + 1;
  }

  @Override
  public synchronized void close() {
    byId.values().forEach(link -> link.pool().dispose());
    byId.clear();
  }
}
