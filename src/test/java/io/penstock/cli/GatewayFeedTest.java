package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
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
              PatientWaits.await(closed);
            })) {
      OperatorClient client =
          CommandLine.populateCommand(new OperatorClient(Map.of()), "--attach=" + silent.url());
      LinkedBlockingQueue<ViewerMessage> messages = new LinkedBlockingQueue<>();
      GatewayFeed gatewayFeed = new GatewayFeed(client, messages);
      gatewayFeed.start();
      assertThat(PatientWaits.take(messages)).isInstanceOf(ViewerMessage.Connected.class);
      // a close that waits for a line would last until the reader's timeout, and that is told
      gatewayFeed.close();
      assertThat(messages).as("while it was closed").isEmpty();
      closed.countDown();
      // the feed was still reading while it was closed, because the stream only ended afterwards
      assertThat(PatientWaits.take(messages)).isInstanceOf(ViewerMessage.Disconnected.class);
    }
  }

  @Test
  void gatewayWithoutAState_isTooOld() throws InterruptedException {
    String problem = "{\"detail\":\"nothing here\"}";
    try (RawUpstream old =
        RawUpstream.start(
            (self, byteSocket) -> {
              self.read(byteSocket);
              byteSocket.send(
                  "HTTP/1.1 404 Not Found\r\nContent-Type: application/problem+json\r\n"
                      + "Content-Length: "
                      + problem.length()
                      + "\r\n\r\n"
                      + problem);
            })) {
      OperatorClient client =
          CommandLine.populateCommand(new OperatorClient(Map.of()), "--attach=" + old.url());
      LinkedBlockingQueue<ViewerMessage> messages = new LinkedBlockingQueue<>();
      try (GatewayFeed gatewayFeed = new GatewayFeed(client, messages)) {
        gatewayFeed.start();
        assertThat(PatientWaits.take(messages))
            .isInstanceOfSatisfying(
                ViewerMessage.Hopeless.class,
                hopeless ->
                    assertThat(hopeless.why()).startsWith("this gateway is too old for top"));
      }
    }
  }
}
