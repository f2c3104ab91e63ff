package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.penstock.fake.RawUpstream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class FeedTest {
  @Test
  void close_whileTheGatewaySaysNothing_doesNotWaitForIt() throws InterruptedException {
    CountDownLatch closed = new CountDownLatch(1);
    try (RawUpstream silent =
        RawUpstream.start(
            (self, wire) -> {
              self.read(wire);
              wire.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
              assertThat(closed.await(1, TimeUnit.MINUTES)).as("closed meanwhile").isTrue();
            })) {
      OperatorClient client =
          CommandLine.populateCommand(new OperatorClient(Map.of()), "--attach=" + silent.url());
      LinkedBlockingQueue<Message> told = new LinkedBlockingQueue<>();
      Feed feed = new Feed(client, told, InstantSource.fixed(Instant.EPOCH));
      feed.start();
      assertThat(told.poll(1, TimeUnit.MINUTES)).isInstanceOf(Message.Connected.class);
      // a close that waits for a line would last until the reader's timeout, 40 seconds
      assertTimeoutPreemptively(Duration.ofSeconds(20), feed::close);
      closed.countDown();
      // the feed was still reading while it was closed, because the stream only ended afterwards
      assertThat(nextButEndpoints(told)).isInstanceOf(Message.Disconnected.class);
    }
  }

  /** Skips the results of polls, which may arrive at any time. */
  private static @Nullable Message nextButEndpoints(BlockingQueue<Message> told)
      throws InterruptedException {
    Message next = told.poll(1, TimeUnit.MINUTES);
    while (next instanceof Message.Endpoints) {
      next = told.poll(1, TimeUnit.MINUTES);
    }
    return next;
  }
}
