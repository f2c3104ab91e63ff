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

class GatewayFeedTest {
  @Test
  void close_whileTheGatewaySaysNothing_doesNotWaitForIt() throws InterruptedException {
    CountDownLatch closed = new CountDownLatch(1);
    try (RawUpstream silent =
        RawUpstream.start(
            (self, byteSocket) -> {
              self.read(byteSocket);
              byteSocket.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
              assertThat(closed.await(1, TimeUnit.MINUTES)).as("closed meanwhile").isTrue();
            })) {
      OperatorClient client =
          CommandLine.populateCommand(new OperatorClient(Map.of()), "--attach=" + silent.url());
      LinkedBlockingQueue<ViewerMessage> told = new LinkedBlockingQueue<>();
      GatewayFeed gatewayFeed = new GatewayFeed(client, told, InstantSource.fixed(Instant.EPOCH));
      gatewayFeed.start();
      assertThat(told.poll(1, TimeUnit.MINUTES)).isInstanceOf(ViewerMessage.Connected.class);
      // a close that waits for a line would last until the reader's timeout, 40 seconds
      assertTimeoutPreemptively(Duration.ofSeconds(20), gatewayFeed::close);
      closed.countDown();
      // the feed was still reading while it was closed, because the stream only ended afterwards
      assertThat(nextButEndpoints(told)).isInstanceOf(ViewerMessage.Disconnected.class);
    }
  }

  /** Skips the results of polls, which may arrive at any time. */
  private static @Nullable ViewerMessage nextButEndpoints(BlockingQueue<ViewerMessage> told)
      throws InterruptedException {
    ViewerMessage next = told.poll(1, TimeUnit.MINUTES);
    while (next instanceof ViewerMessage.Endpoints) {
      next = told.poll(1, TimeUnit.MINUTES);
    }
    return next;
  }
}
