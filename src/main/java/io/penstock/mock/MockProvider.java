package io.penstock.mock;

import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;
import reactor.netty.resources.LoopResources;

/**
 * The built-in provider for demos and load tests: a server on a loopback port and an event loop of
 * its own, which answers in a provider's formats and enforces limits of its own. Thread-safe.
 */
public final class MockProvider implements AutoCloseable {
  /**
   * Counters of an address.
   *
   * @param requests all requests so far
   * @param refused those answered with 429
   * @param cancelled those whose client disconnected before the end of the answer
   * @param running those that have not ended yet
   */
  public record Stats(long requests, long refused, long cancelled, long running) {}

  /**
   * The bill of a provider for a model: tokens by kind, for requests whose answers began. Input is
   * counted when an answer begins, output when it is produced.
   *
   * @param requests number of answers that began
   * @param uncached input tokens neither read from the cache nor written to it
   * @param cacheRead input tokens read from the cache
   * @param cacheWrite input tokens written to it for five minutes
   * @param cacheWriteHour input tokens written to it for one hour
   * @param output output tokens
   */
  public record Bill(
      long requests,
      long uncached,
      long cacheRead,
      long cacheWrite,
      long cacheWriteHour,
      long output) {}

  private static final String HOST = "127.0.0.1";
  private static final Pattern PATH = Pattern.compile("/m/(\\d{1,6})(/.*)");
  private static final int MAX_ADDRESSES = 10_000;

  private final MockUpstream.Surroundings surroundings;
  private final Map<MockAddress, Integer> numbers = new ConcurrentHashMap<>();
  private final List<MockUpstream> upstreams = new CopyOnWriteArrayList<>();
  private final LoopResources loops;

  /**
   * Open connections. Once closed the group stays closed, so that a connection accepted in the
   * meantime is closed, too.
   */
  private final ChannelGroup connections =
      new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);

  private final DisposableServer server;

  private MockProvider(MockUpstream.Surroundings surroundings) {
    this.surroundings = surroundings;
    int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    this.loops = LoopResources.create("penstock-mock", threads, true);
    this.server =
        HttpServer.create()
            .host(HOST)
            .port(0)
            .runOn(loops)
            .channelGroup(connections)
            .handle(this::handle)
            .bindNow();
  }

  /**
   * Binds a free port of 127.0.0.1, and blocks until it is bound: call it at startup, never on an
   * event loop.
   */
  public static MockProvider start(Ticker ticker) {
    return start(ticker, WallClock.system());
  }

  /** Starts a provider with another wall clock, which only affects the content of answers. */
  public static MockProvider start(Ticker ticker, WallClock wallClock) {
    return start(ticker, wallClock, Schedulers.parallel(), stats -> {});
  }

  /** Starts a provider with other timers; {@code ended} is called whenever a request has ended. */
  static MockProvider start(
      Ticker ticker, WallClock wallClock, Scheduler timers, Consumer<Stats> ended) {
    return new MockProvider(new MockUpstream.Surroundings(ticker, wallClock, timers, ended));
  }

  /**
   * Returns the base URL for an address, such as {@code http://127.0.0.1:45123/m/3}, to which the
   * provider's own paths ({@code /v1/…}) are added. As long as this provider lives, equal addresses
   * have the same URL and share limits and counters.
   *
   * @throws IllegalStateException at more than 10,000 different addresses
   */
  public URI baseUrl(MockAddress address) {
    return URI.create("http://" + HOST + ":" + server.port() + "/m/" + number(address));
  }

  /** Returns the counters of an address; all 0 if it was never requested. */
  public Stats stats(MockAddress address) {
    Integer number = numbers.get(address);
    return number == null ? new Stats(0, 0, 0, 0) : upstreams.get(number).stats();
  }

  /**
   * Returns the bills of an address by model; the same is answered to {@code GET /mock/bill} below
   * its base URL.
   */
  public Map<String, Bill> bills(MockAddress address) {
    Integer number = numbers.get(address);
    return number == null ? Map.of() : upstreams.get(number).bills();
  }

  /** Turns reading from the caches of an address on or off, so that a cache can stop working. */
  public void cachesReadable(MockAddress address, boolean readable) {
    upstreams.get(number(address)).readable(readable);
  }

  private synchronized int number(MockAddress address) {
    Integer known = numbers.get(address);
    if (known != null) {
      return known;
    }
    if (upstreams.size() == MAX_ADDRESSES) {
      throw new IllegalStateException(
          "there are " + MAX_ADDRESSES + " mock addresses already, expected fewer");
    }
    int number = upstreams.size();
    upstreams.add(new MockUpstream(address, surroundings));
    numbers.put(address, number);
    return number;
  }

  private Mono<Void> handle(HttpServerRequest request, HttpServerResponse response) {
    String uri = request.uri();
    int query = uri.indexOf('?');
    Matcher path = PATH.matcher(query < 0 ? uri : uri.substring(0, query));
    MockUpstream upstream = path.matches() ? upstream(Integer.parseInt(path.group(1))) : null;
    if (upstream == null) {
      return response.status(404).header(HttpHeaderNames.CONTENT_LENGTH, "0").send();
    }
    return upstream.handle(request, response, path.group(2));
  }

  private @Nullable MockUpstream upstream(int number) {
    return number < upstreams.size() ? upstreams.get(number) : null;
  }

  /** Stops listening and drops running requests without waiting for them. */
  @Override
  public void close() {
    server.dispose();
    // a loop that ends first would leave its connections open, and their clients waiting for ever
    connections
        .close()
        .addListener(
            closed -> loops.disposeLater(Duration.ZERO, Duration.ofSeconds(1)).subscribe());
  }
}
