package io.penstock.fake;

import io.penstock.time.Ticker;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An HTTP proxy to another port that keeps what its clients ask. It takes one request from each
 * connection. When one side goes away, it leaves the other.
 */
public final class RecordingProxy implements AutoCloseable {
  /**
   * A request that was passed on.
   *
   * @param atNanos when it had come
   * @param status the status of its answer, once there is one
   */
  public record Exchange(long atNanos, HttpMessage request, CompletableFuture<Integer> status) {}

  private final Ticker ticker = Ticker.system();
  private final List<Exchange> exchanges = new CopyOnWriteArrayList<>();
  private final RawUpstream listening;

  /** Creates a proxy to a port of this machine. */
  public RecordingProxy(int target) {
    listening = RawUpstream.start((_, client) -> pass(client, target));
  }

  private void pass(ByteSocket client, int target) {
    HttpMessage request = client.request();
    Exchange exchange = new Exchange(ticker.nanos(), request, new CompletableFuture<>());
    exchanges.add(exchange);
    try (ByteSocket server = ByteSocket.to(target)) {
      server.send(head(request, "Content-Length: " + request.body().length));
      server.send(request.body());
      Thread.ofVirtual().start(() -> leaveWith(client, server));
      HttpMessage answer = server.head();
      exchange.status().complete(answer.status());
      client.send(head(answer));
      server.passRest(client);
    }
  }

  private static void leaveWith(ByteSocket client, ByteSocket server) {
    client.awaitEnd();
    server.close();
  }

  /** Returns a head for a connection that ends after this message. */
  private static String head(HttpMessage message, String... length) {
    boolean sized = length.length > 0;
    return Stream.of(
            Stream.of(message.start()),
            message.headers().stream().filter(line -> passes(Http1.lower(line), sized)),
            Stream.of(length),
            Stream.of("Connection: close"))
        .flatMap(lines -> lines)
        .collect(Collectors.joining("\r\n", "", "\r\n\r\n"));
  }

  private static boolean passes(String line, boolean sized) {
    boolean ofLength = line.startsWith("content-length:") || line.startsWith("transfer-encoding:");
    return !line.startsWith("connection:") && !(sized && ofLength);
  }

  /** Returns the address. */
  public String url() {
    return listening.url();
  }

  /** Returns what was asked so far, in order. */
  public List<Exchange> exchanges() {
    return List.copyOf(exchanges);
  }

  @Override
  public void close() {
    listening.close();
  }
}
