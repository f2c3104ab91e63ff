package io.penstock.gateway.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.wire.AnswerBeginning;
import io.penstock.wire.ConnectionGuard;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.adapter.DefaultServerWebExchange;
import org.springframework.web.server.i18n.AcceptHeaderLocaleContextResolver;
import org.springframework.web.server.session.DefaultWebSessionManager;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;
import reactor.test.publisher.TestPublisher;

/**
 * Tests what happens at the head of an answer when the connections of client and upstream belong to
 * two event loops, as they do when the upstream's comes from the pool.
 */
@Timeout(120)
class UpstreamAnswerTest {
  private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";

  private final LoopResources clientLoops = LoopResources.create("client", 1, true);
  private final LoopResources upstreamLoops = LoopResources.create("upstream", 1, true);
  private final ConnectionProvider pool = ConnectionProvider.create("test");
  private final UnpooledByteBufAllocator read = new UnpooledByteBufAllocator(true);
  private final CountDownLatch learned = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final RawUpstream upstream =
      RawUpstream.start(
          (self, byteSocket) -> {
            self.read(byteSocket);
            byteSocket.send(HEAD + "{}").awaitEnd();
            closed.countDown();
          });

  @AfterEach
  void close() {
    upstream.close();
    pool.dispose();
    clientLoops.dispose();
    upstreamLoops.dispose();
  }

  /** Calls the upstream for each request, and tells {@code learner} of the heads of answers. */
  private DisposableServer serve(Consumer<ServerHttpRequest> learner) {
    return HttpServer.create()
        .host("127.0.0.1")
        .port(0)
        .runOn(clientLoops)
        .handle(
            new ReactorHttpHandlerAdapter(
                (request, response) ->
                    call(
                        new DefaultServerWebExchange(
                            request,
                            response,
                            new DefaultWebSessionManager(),
                            ServerCodecConfigurer.create(),
                            new AcceptHeaderLocaleContextResolver()),
                        learner)))
        .bindNow();
  }

  private Mono<Void> call(ServerWebExchange exchange, Consumer<ServerHttpRequest> learner) {
    return UpstreamAnswer.only(
            HttpClient.create(pool)
                .runOn(upstreamLoops)
                .option(ChannelOption.ALLOCATOR, read)
                .get()
                .uri(upstream.url())
                .responseConnection(
                    (head, connection) ->
                        UpstreamAnswer.begun(
                            head,
                            connection,
                            exchange,
                            (status, headers) -> {
                              learner.accept(exchange.getRequest());
                              learned.countDown();
                            })))
        .doOnNext(UpstreamAnswer::drop)
        .then()
        .onErrorComplete();
  }

  private void awaitNothingKept() throws InterruptedException {
    learned.await();
    PatientWaits.await().untilAsserted(() -> assertThat(read.metric().usedDirectMemory()).isZero());
  }

  @Test
  void clientLeavesWhileTheHeadIsHandled_releasesTheBody() throws InterruptedException {
    CountDownLatch head = new CountDownLatch(1);
    DisposableServer server =
        serve(
            request -> {
              Channel channel = ConnectionGuard.channel(request);
              head.countDown();
              PatientWaits.await().until(() -> !channel.equals(ConnectionGuard.channel(request)));
            });
    ByteSocket client = ByteSocket.to(server.port()).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    head.await();
    client.reset();
    awaitNothingKept();
    server.disposeNow();
  }

  @Test
  void headCannotBeHandled_releasesTheBody_andClosesTheConnection() throws InterruptedException {
    DisposableServer server =
        serve(
            request -> {
              learned.countDown();
              throw new IllegalStateException("of the test");
            });
    try (ByteSocket client = ByteSocket.to(server.port())) {
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").answer();
      awaitNothingKept();
      closed.await();
    }
    server.disposeNow();
  }

  @Test
  void callIsCancelledWhileItsAnswerComes_releasesTheBody() {
    ByteBuf bytes = read.directBuffer(1).writeByte('a');
    DataBuffer buffer = new NettyDataBufferFactory(read).wrap(bytes);
    Mono<UpstreamAnswer> answer =
        AnswerBeginning.something(Flux.just(buffer))
            .map(body -> new UpstreamAnswer(200, new DefaultHttpHeaders(), body, null, null));
    TestPublisher<UpstreamAnswer> call = TestPublisher.create();
    Disposable running = UpstreamAnswer.only(call.flux()).subscribe();
    call.next(PatientWaits.join(answer.toFuture()));
    assertThat(bytes.refCnt()).isEqualTo(1);
    running.dispose();
    assertThat(bytes.refCnt()).isZero();
  }
}
