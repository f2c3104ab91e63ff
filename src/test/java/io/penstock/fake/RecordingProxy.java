package io.penstock.fake;

import io.penstock.time.Ticker;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An HTTP proxy to another port that keeps what its clients ask. It takes one request from each
 * connection, or the messages of a WebSocket. When one side goes away, it leaves the other.
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
  private final List<SentMessages> webSockets = new CopyOnWriteArrayList<>();
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
      if ("websocket".equalsIgnoreCase(request.header("upgrade"))) {
        passUpgrade(exchange, client, server);
        return;
      }
      server.send(head(request, "Content-Length: " + request.body().length));
      server.send(request.body());
      Thread.ofVirtual().start(() -> leaveWith(client, server));
      HttpMessage answer = server.head();
      exchange.status().complete(answer.status());
      client.send(head(answer));
      server.passRest(client, OutputStream.nullOutputStream());
    }
  }

  private void passUpgrade(Exchange exchange, ByteSocket client, ByteSocket server) {
    SentMessages messages = new SentMessages();
    webSockets.add(messages);
    server.send(lines(exchange.request(), exchange.request().headers().stream()));
    Thread.ofVirtual()
        .start(
            () -> {
              client.passRest(server, messages);
              server.close();
            });
    HttpMessage answer = server.head();
    exchange.status().complete(answer.status());
    client.send(lines(answer, answer.headers().stream()));
    server.passRest(client, OutputStream.nullOutputStream());
  }

  private static void leaveWith(ByteSocket client, ByteSocket server) {
    client.awaitEnd();
    server.close();
  }

  /** Returns a head for a connection that ends after this message. */
  private static String head(HttpMessage message, String... length) {
    boolean sized = length.length > 0;
    return lines(
        message,
        Stream.of(
                message.headers().stream().filter(line -> passes(Http1.lower(line), sized)),
                Stream.of(length),
                Stream.of("Connection: close"))
            .flatMap(lines -> lines));
  }

  private static String lines(HttpMessage message, Stream<String> headers) {
    return Stream.concat(Stream.of(message.start()), headers)
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

  /** Returns the text messages that were sent through WebSockets so far, in order. */
  public List<String> messages() {
    return webSockets.stream().flatMap(each -> each.texts().stream()).toList();
  }

  @Override
  public void close() {
    listening.close();
  }
}
