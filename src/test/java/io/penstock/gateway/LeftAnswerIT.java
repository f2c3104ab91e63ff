package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.LogCapture;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.client.ReactorResourceFactory;

/**
 * Tests that a client that leaves around the moment at which its answer comes costs nothing: no
 * buffer is released twice, which would be logged as a dropped error, and none leaks, which Netty's
 * leak detector would log.
 */
@SuppressWarnings({
  "StringConcatToTextBlock", // as on the wire
  "try" // loops are held for as long as a block runs
})
class LeftAnswerIT extends HostileCase {
  private static final int LARGE = 4 << 20;
  private static final int SMALL_WINDOW = 4_096;

  /** An answer of the upstream, which comes in two pieces. */
  enum Answer {
    ONE_PIECE(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1212\r\n\r\n",
        "{\"usage\":{}}" + " ".repeat(1200)),
    SEVERAL_PIECES(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
            + LARGE
            + "\r\n\r\n{",
        " ".repeat(LARGE - 2) + "}"),
    ERROR(
        "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n",
        "{}"),
    STREAM(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
        "A\r\ndata: {}\n\n\r\n0\r\n\r\n"),
    LARGE_STREAM(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
        "A\r\ndata: {}\n\n\r\n".repeat(LARGE / 10) + "0\r\n\r\n");

    private final String beginning;
    private final String rest;

    Answer(String beginning, String rest) {
      this.beginning = beginning;
      this.rest = rest;
    }
  }

  /** When the client leaves. */
  enum Stage {
    BEFORE_THE_ANSWER,
    /** The gateway sees first that the client left, and in the same turn the answer. */
    JUST_BEFORE_THE_ANSWER,
    /** The gateway sees the answer first, so that it writes to a client that is gone. */
    JUST_AFTER_THE_ANSWER,
    BETWEEN_BEGINNING_AND_REST,
    /** The gateway sees the rest first, so that it writes to a client that is gone. */
    JUST_AFTER_THE_REST,
    AFTER_THE_ANSWER
  }

  private ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

  @Override
  String routes() {
    return "endpoints: [{path: /openai, dialect: openai, upstreams: [{id: o, url: \"%1$s\"}]}]";
  }

  @BeforeAll
  void trackEveryBuffer() {
    level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
  }

  @AfterAll
  void trackAsBefore() {
    ResourceLeakDetector.setLevel(level);
  }

  /** Makes the leak detector log every buffer that nobody refers to, and nobody released. */
  @AfterEach
  void reportLeaks() throws InterruptedException {
    gateway.awaitBalance();
    // of two collections, the second is noticed after everything that the first one has found
    for (int time = 0; time < 2; time++) {
      ReferenceQueue<Object> collected = new ReferenceQueue<>();
      WeakReference<Object> canary = new WeakReference<>(new Object(), collected);
      System.gc();
      assertThat(collected.remove()).isSameAs(canary);
    }
    PooledByteBufAllocator.DEFAULT.directBuffer(1).release();
  }

  /** All event loops, which do nothing until this is closed. */
  private static final class HeldLoops implements AutoCloseable {
    private final CountDownLatch released = new CountDownLatch(1);

    static HeldLoops of(ReactorResourceFactory resources) throws InterruptedException {
      HeldLoops loops = new HeldLoops();
      EventExecutorGroup group = resources.getLoopResources().onServer(true);
      List<EventExecutor> all = new ArrayList<>();
      group.forEach(all::add);
      CountDownLatch held = new CountDownLatch(all.size());
      for (EventExecutor each : all) {
        each.execute(
            () -> {
              held.countDown();
              loops.await();
            });
      }
      held.await();
      return loops;
    }

    private void await() {
      try {
        released.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() {
      released.countDown();
    }
  }

  private HeldLoops hold() throws InterruptedException {
    return HeldLoops.of(gateway.bean(ReactorResourceFactory.class));
  }

  /** An upstream's connection on which the test decides when the two parts of an answer come. */
  private final class Exchange implements AutoCloseable {
    private final Answer answer;
    private final CountDownLatch begin = new CountDownLatch(1);
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch finish = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);
    private final ByteSocket client;

    Exchange(Answer answer) throws InterruptedException {
      this.answer = answer;
      upstream.script((self, byteSocket) -> serve(byteSocket));
      client = ByteSocket.to(gateway.port(), SMALL_WINDOW).post(CHAT, ASK);
      upstream.received();
    }

    private void serve(ByteSocket byteSocket) throws InterruptedException {
      upstream.read(byteSocket);
      begin.await();
      byteSocket.send(answer.beginning);
      begun.countDown();
      finish.await();
      try {
        // beyond what the sockets' buffers take, the loops that are held would have to read it
        byteSocket.send(answer.rest.substring(0, Math.min(answer.rest.length(), 16 << 10)));
        finished.countDown();
        byteSocket.send(answer.rest.substring(Math.min(answer.rest.length(), 16 << 10)));
        over.await();
      } finally {
        finished.countDown();
      }
    }

    void begin() throws InterruptedException {
      begin.countDown();
      begun.await();
    }

    void finish() throws InterruptedException {
      finish.countDown();
      finished.await();
    }

    @Override
    public void close() {
      begin.countDown();
      finish.countDown();
      over.countDown();
      client.close();
    }
  }

  static Stream<Arguments> cases() {
    return Stream.of(Answer.values())
        .flatMap(
            answer ->
                Stream.of(Stage.values())
                    .flatMap(
                        stage ->
                            Stream.of(ClientGoneIT.Leaving.CLOSE, ClientGoneIT.Leaving.RESET)
                                .map(leaving -> Arguments.of(answer, stage, leaving))));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void leftAtAnyStage_releasesEachBufferOnce(
      Answer answer, Stage stage, ClientGoneIT.Leaving leaving) throws InterruptedException {
    long offered = gateway.count("/openai", TicketFate.OFFERED);
    try (Exchange exchange = new Exchange(answer)) {
      switch (stage) {
        case BEFORE_THE_ANSWER -> {
          leaving.leave(exchange.client);
          gateway.await("/openai", TicketFate.RUNNING, 0);
        }
        case JUST_BEFORE_THE_ANSWER -> {
          try (HeldLoops held = hold()) {
            leaving.leave(exchange.client);
            exchange.begin();
            exchange.finish();
          }
        }
        case JUST_AFTER_THE_ANSWER -> {
          try (HeldLoops held = hold()) {
            exchange.begin();
            exchange.finish();
            leaving.leave(exchange.client);
          }
        }
        case BETWEEN_BEGINNING_AND_REST -> {
          exchange.begin();
          leaving.leave(exchange.client);
          gateway.await("/openai", TicketFate.RUNNING, 0);
        }
        case JUST_AFTER_THE_REST -> {
          exchange.begin();
          try (HeldLoops held = hold()) {
            exchange.finish();
            leaving.leave(exchange.client);
          }
        }
        case AFTER_THE_ANSWER -> {
          exchange.begin();
          exchange.finish();
          exchange.client.head();
          leaving.leave(exchange.client);
        }
      }
      gateway.await("/openai", TicketFate.RUNNING, 0);
    }
    assertThat(gateway.count("/openai", TicketFate.OFFERED)).isEqualTo(offered + 1);
  }

  @Test
  void bufferThatIsNotReleased_isLogged() throws InterruptedException {
    PooledByteBufAllocator.DEFAULT.directBuffer(1);
    reportLeaks();
    assertThat(logged.traces()).singleElement().asString().contains("LEAK");
    logged.close();
    logged = LogCapture.listen();
  }
}
