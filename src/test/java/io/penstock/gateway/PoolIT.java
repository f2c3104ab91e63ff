package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.MachineStalls;
import io.penstock.fake.OneFileGateway;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.mainjob.SaturatingCallers;
import io.penstock.mock.MockAddress;
import io.penstock.mock.MockProvider;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests two upstreams of one endpoint: which requests each gets, and which are lost when one of
 * them dies.
 */
class PoolIT {
  private static final Duration WINDOW = Duration.ofSeconds(6);
  private static final int WINDOWS = 4;
  private static final long SMALL_LIMIT = 15_000;

  private static final int BEGUN = 20;
  private static final int AT_FIRST = 60;
  private static final int AT_SECOND = 20;
  private static final int PARKED = 120;
  private static final String ASK =
      "{\"model\":\"m\",\"max_tokens\":5,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
  private static final String OK =
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
  private static final String STREAM_HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final String EVENT = "data: {}\n\n";

  @TempDir private Path directory;

  @Test
  void quotasOfThreeToOne_areBothUsedUpSoThatTrafficIsThreeToOne() throws IOException {
    Ticker ticker = Ticker.system();
    MockAddress large = address(3 * SMALL_LIMIT);
    MockAddress small = address(SMALL_LIMIT);
    try (MockProvider provider = MockProvider.start(ticker);
        OneFileGateway oneFileGateway =
            OneFileGateway.start(
                directory, routes(provider.baseUrl(large), provider.baseUrl(small)), WINDOW);
        SaturatingCallers callers = new SaturatingCallers(oneFileGateway.url("/pair"), ticker);
        MachineStalls stalls = new MachineStalls()) {
      SaturatingCallers.warmUp(oneFileGateway.url("/warm"), ticker);
      long begin = ticker.nanos();
      callers.begin(60, 50, 250, begin + WINDOWS * WINDOW.toNanos());
      List<SaturatingCallers.Answer> answers = callers.end();
      assertThat(answers).allMatch(answer -> answer.status() == 200);
      long from = begin + WINDOW.toNanos();
      long to = begin + WINDOWS * WINDOW.toNanos();
      long toLarge = tokens(answers, "large", from, to);
      long toSmall = tokens(answers, "small", from, to);
      double ratio = (double) toLarge / toSmall;
      double used = (toLarge + toSmall) / (4.0 * SMALL_LIMIT * (WINDOWS - 1));
      long refused = provider.stats(large).refused() + provider.stats(small).refused();
      System.out.println(
          "quotas 3:1: %d requests, all answered; %d : %d tokens, %.3f : 1, %.1f %% of both, %d 429s"
              .formatted(answers.size(), toLarge, toSmall, ratio, 100 * used, refused));
      double stalled = stalls.largestShare(WINDOW.toNanos());
      stalls.unlessBusy(
          WINDOW.toNanos(),
          () -> {
            assertThat(used).as("stalled: %.3f", stalled).isBetween(0.85 - stalled, 1.01);
            assertThat(ratio).isBetween(3 * (0.95 - stalled), 3 * (1.05 + stalled));
          });
    }
  }

  private static MockAddress address(long limit) {
    return MockAddress.parse(
        URI.create(
            "mock://openai?tokens=10&tpm=%d&window=%ds".formatted(limit, WINDOW.toSeconds())));
  }

  /**
   * Returns routes in which the larger upstream has no greater weight: the used share of each is
   * what counts.
   */
  private static String routes(URI large, URI small) {
    return """
    endpoints:
      - path: /pair
        dialect: openai
        upstreams:
          - {id: small, url: "%s", tpm_limit: %d}
          - {id: large, url: "%s", tpm_limit: %d}
      - path: /warm
        dialect: openai
        upstreams: [{id: warm, url: "mock://openai"}]
    """
        .formatted(small, SMALL_LIMIT, large, 3 * SMALL_LIMIT);
  }

  private static long tokens(
      List<SaturatingCallers.Answer> answers, String upstream, long from, long to) {
    return answers.stream()
        .filter(answer -> answer.upstream().equals(upstream))
        .filter(answer -> answer.at() >= from && answer.at() < to)
        .mapToLong(SaturatingCallers.Answer::tokens)
        .sum();
  }

  /**
   * A third of the requests that are with the upstream have begun to stream; the others wait for
   * their turn.
   */
  @Test
  void upstreamThatIsKilled_losesOnlyWhatHadBegunToStream() {
    CountDownLatch killed = new CountDownLatch(1);
    AtomicInteger atFirst = new AtomicInteger();
    AtomicInteger atSecond = new AtomicInteger();
    try (RawUpstream first = RawUpstream.start(streams(atFirst, killed));
        RawUpstream second = RawUpstream.start(answers(atSecond, killed));
        RunningGateway gateway = RunningGateway.start(killable(first, second))) {
      List<ByteSocket> begun = new ArrayList<>();
      List<ByteSocket> others = new ArrayList<>();
      for (int i = 1; i <= AT_FIRST + AT_SECOND; i++) {
        int before = atFirst.get();
        int sent = i;
        ByteSocket byteSocket =
            ByteSocket.to(gateway.port()).post("/pair/v1/chat/completions", ASK);
        RunningGateway.awaiting().until(() -> atFirst.get() + atSecond.get() == sent);
        boolean begins = atFirst.get() > before && before < BEGUN;
        (begins ? begun : others).add(byteSocket);
        if (begins) {
          assertThat(byteSocket.head().status()).isEqualTo(200);
          assertThat(byteSocket.chunk()).isEqualTo(EVENT);
        }
      }
      for (int i = 0; i < PARKED; i++) {
        others.add(ByteSocket.to(gateway.port()).post("/pair/v1/chat/completions", ASK));
      }
      gateway.await("/pair", TicketFate.WAITING, PARKED);
      kill(first);
      killed.countDown();
      long served = others.stream().filter(PoolIT::servedBySecond).count();
      long lost = begun.stream().filter(PoolIT::brokenOff).count();
      System.out.println(
          "killed mid-stream: %d of %d begun streams broken off; %d of %d not begun were served"
              .formatted(lost, begun.size(), served, others.size()));
      assertThat(atFirst.get()).isEqualTo(AT_FIRST);
      assertThat(begun).hasSize(BEGUN);
      assertThat(lost).isEqualTo(BEGUN);
      assertThat(served).isEqualTo(AT_FIRST - BEGUN + AT_SECOND + PARKED);
      gateway.awaitBalance();
    }
  }

  private static void kill(RawUpstream upstream) {
    upstream.close();
  }

  private static boolean servedBySecond(ByteSocket byteSocket) {
    try (byteSocket) {
      HttpMessage answer = byteSocket.answer();
      return answer.status() == 200 && "second".equals(answer.header("x-penstock-upstream"));
    }
  }

  private static boolean brokenOff(ByteSocket byteSocket) {
    try (byteSocket) {
      byteSocket.chunk();
      return false;
    } catch (UncheckedIOException broken) {
      return true;
    }
  }

  /**
   * Returns a script that begins to stream to the first clients, sends nothing to the others, and
   * never ends.
   */
  private static RawUpstream.Script streams(AtomicInteger asked, CountDownLatch killed) {
    return (self, byteSocket) -> {
      byteSocket.request();
      if (asked.incrementAndGet() <= BEGUN) {
        byteSocket.send(STREAM_HEAD).chunk(EVENT);
      }
      killed.await();
    };
  }

  /** Returns a script that answers every request as soon as the other upstream is dead. */
  private static RawUpstream.Script answers(AtomicInteger asked, CountDownLatch killed) {
    return (self, byteSocket) -> {
      byteSocket.request();
      asked.incrementAndGet();
      killed.await();
      byteSocket.send(OK);
    };
  }

  private static String killable(RawUpstream first, RawUpstream second) {
    return """
    endpoints:
      - path: /pair
        dialect: openai
        upstreams:
          - {id: first, url: "%s", concurrency: %d}
          - {id: second, url: "%s", concurrency: %d}
    """
        .formatted(first.url(), AT_FIRST, second.url(), AT_SECOND);
  }
}
