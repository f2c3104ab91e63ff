package io.penstock.load;

import io.netty.handler.codec.http.HttpHeaderNames;
import org.reactivestreams.Publisher;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;
import reactor.netty.resources.ConnectionProvider;

/** The least that can be written by hand on what Penstock stands on: bytes in, bytes out. */
final class RawProxy {
  private final HttpClient client;

  private RawProxy(int upstream) {
    ConnectionProvider pool = ConnectionProvider.create("upstream", 10_000);
    this.client = HttpClient.create(pool).host("127.0.0.1").port(upstream);
  }

  /** Serves {@code --port} in front of {@code --upstream}, until it is killed. */
  public static void main(String[] arguments) {
    Arguments given = new Arguments(arguments);
    RawProxy proxy = new RawProxy(given.number("upstream"));
    HttpServer.create()
        .host("127.0.0.1")
        .port(given.number("port"))
        .handle(proxy::pass)
        .bindNow()
        .onDispose()
        .block();
  }

  private Publisher<Void> pass(HttpServerRequest request, HttpServerResponse response) {
    return client
        .headers(headers -> headers.set(request.requestHeaders()).remove(HttpHeaderNames.HOST))
        .request(request.method())
        .uri(request.uri())
        .send(request.receive().retain())
        .response(
            (answer, body) -> {
              copyHead(answer, response);
              return response.send(body.retain());
            });
  }

  private static void copyHead(HttpClientResponse answer, HttpServerResponse response) {
    response.status(answer.status());
    response.headers(answer.responseHeaders());
  }
}
