package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.penstock.fake.RawUpstream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
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
      // a close that waits for a line ends with the reader's patience, after 40 seconds
      assertTimeoutPreemptively(Duration.ofSeconds(20), feed::close);
      closed.countDown();
      // it read on while it was closed: the stream ended only after that
      assertThat(told.poll(1, TimeUnit.MINUTES)).isInstanceOf(Message.Disconnected.class);
    }
  }
}
