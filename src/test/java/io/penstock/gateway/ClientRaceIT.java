package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.gateway.forward.VerdictSource;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.AttemptHistory;
import io.penstock.pool.AttemptVerdict;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.suite.Hostile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Tests that nothing is lost when clients leave at the moment in which an upstream's answer makes
 * the gateway go on with their request: the two are noticed by different event loops.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class ClientRaceIT extends HostileCase {
  private static final int CLIENTS = 4;
  private static final int REQUESTS_EACH = 100;

  /** Rounds of waiting of at most some hundred microseconds, about as long as an attempt takes. */
  private static final int MOST_SPINS = 4_000;

  private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";
  private static final String NOT_KNOWN =
      "{\"error\":{\"message\":\"Unrecognized request argument supplied: stream_options\","
          + "\"type\":\"invalid_request_error\",\"param\":null,\"code\":null}}";

  /** Why the gateway goes on with a request, when its client leaves. */
  enum Moment {
    LIMITED(3, answer(429, "retry-after-ms: 1\r\n", "{}")),
    FAILED_ELSEWHERE(1, answer(500, "", "{}")),
    BROKEN_OFF(1, ""),
    USAGE_REFUSED(1, answer(400, "", NOT_KNOWN)),
    BEATING(3, answer(429, "retry-after-ms: 1\r\n", "{}")),
    ANSWERED(1, answer(200, "", "{}")),
    UPGRADED(
        1, "HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ");

    private final int attempts;
    private final String answer;

    Moment(int attempts, String answer) {
      this.attempts = attempts;
      this.answer = answer;
    }

    private static String answer(int status, String headers, String body) {
      return "HTTP/1.1 %d X\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s"
          .formatted(status, headers, body.length(), body);
    }

    String request(int number) {
      String client = "x-client: " + number + "\r\n";
      if (this == UPGRADED) {
        return "GET /race/v1/realtime HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
            + KEY
            + "\r\n"
            + client
            + "\r\n";
      }
      boolean streams = this == USAGE_REFUSED || this == BEATING;
      String body =
          ASK.replace("\"m\"", "\"m" + number % (CLIENTS * REQUESTS_EACH) + "\"")
              .replace("{\"model\"", streams ? "{\"stream\":true,\"model\"" : "{\"model\"");
      return ("POST /race/v1/chat/completions HTTP/1.1\r\n"
              + "Host: a\r\n"
              + "%sConnection: close\r\n"
              + "Content-Type: application/json\r\n"
              + "Content-Length: %d\r\n\r\n"
              + "%s")
          .formatted(client, body.length(), body);
    }
  }

  /** A client that leaves during one of its attempts. */
  private final class Leaver {
    private final ByteSocket socket = connect();
    private final Random random;
    private int attempts;

    /**
     * Creates a client that leaves during one of at most {@code most} attempts.
     *
     * @param seed decides when
     */
    Leaver(int seed, int most) {
      random = new Random(seed);
      attempts = 1 + random.nextInt(most);
    }

    /** Answers the attempt; with the last one the client leaves, a moment before or after. */
    synchronized void answer(ByteSocket upstream, Moment moment) {
      attempts--;
      boolean leaves = attempts == 0;
      boolean before = random.nextBoolean();
      if (leaves && before) {
        leave();
        spin();
      }
      try {
        send(upstream, moment);
      } finally {
        if (leaves && !before) {
          spin();
          leave();
        }
      }
    }

    private void spin() {
      for (int spins = random.nextInt(MOST_SPINS); spins > 0; spins--) {
        Thread.onSpinWait();
      }
    }

    private void leave() {
      socket.reset();
    }
  }

  /** Decides as {@link PlainJudge} does, but for refused options, which upstreams learn. */
  @Configuration(proxyBeanMethods = false)
  public static class RaceJudge {
    @Bean
    VerdictSource judge() {
      VerdictSource plain = new PlainJudge().judge();
      return new VerdictSource() {
        @Override
        public AttemptVerdict answered(
            Upstream upstream, AttemptHistory attemptHistory, ProviderLesson lesson, long now) {
          VerdictSource source = lesson.status() == 400 ? UPSTREAM : plain;
          return source.answered(upstream, attemptHistory, lesson, now);
        }

        @Override
        public AttemptVerdict failed(
            Upstream upstream,
            AttemptHistory attemptHistory,
            AttemptFailure failure,
            String cause,
            long now) {
          return plain.failed(upstream, attemptHistory, failure, cause, now);
        }
      };
    }
  }

  private final AtomicInteger numbers = new AtomicInteger();
  private final Map<Integer, Leaver> leavers = new ConcurrentHashMap<>();

  @Override
  String routes() {
    return """
    defaults: {dialect: openai}
    endpoints:
      - path: /race
        heartbeat_seconds: 0.01
        max_queue_size: 1000
        upstreams:
          - {id: a, url: "%1$s", concurrency: 1000}
          - {id: b, url: "%1$s", concurrency: 1000}
    """;
  }

  @Override
  String[] arguments() {
    return new String[] {"--spring.main.sources=" + RaceJudge.class.getName()};
  }

  @AfterEach
  void reset() {
    PlainJudge.pauseNanos = 0;
  }

  private static void send(ByteSocket upstream, Moment moment) {
    switch (moment) {
      case BROKEN_OFF -> upstream.close();
      case UPGRADED -> upstream.send(moment.answer + accept() + "\r\n\r\n");
      default -> upstream.send(moment.answer);
    }
  }

  private static String accept() {
    try {
      byte[] text = (KEY + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.UTF_8);
      return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-1").digest(text));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Serves requests on one connection, so that another event loop than the client's has it. */
  private void answer(RawUpstream self, ByteSocket upstreamSocket, Moment moment) {
    while (true) {
      HttpMessage request = self.read(upstreamSocket);
      String client = request.header("x-client");
      Leaver leaver = client == null ? null : leavers.get(Integer.valueOf(client));
      if (leaver == null) {
        upstreamSocket.send(Moment.ANSWERED.answer);
      } else {
        leaver.answer(upstreamSocket, moment);
      }
      if (moment == Moment.BROKEN_OFF || moment == Moment.UPGRADED) {
        return;
      }
    }
  }

  private void sendAll(Moment moment) {
    for (int i = 0; i < REQUESTS_EACH; i++) {
      int number = numbers.getAndIncrement();
      Leaver leaver = new Leaver(number, moment.attempts);
      leavers.put(number, leaver);
      leaver.socket.send(moment.request(number));
      leaver.socket.awaitEnd(); // it has left, or was answered because both connections were lost
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @EnumSource
  void clientsThatLeaveWhenTheGatewayGoesOn_leaveNothing(Moment moment)
      throws InterruptedException, ExecutionException {
    PlainJudge.pauseNanos = moment == Moment.BEATING ? 12_000_000 : 0;
    upstream.script((self, socket) -> answer(self, socket, moment));
    long before = gateway.count("/race", TicketFate.CANCELLED);
    List<FutureTask<?>> clients = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      FutureTask<?> task = new FutureTask<>(() -> sendAll(moment), null);
      clients.add(task);
      Thread.ofVirtual().start(task);
    }
    for (FutureTask<?> client : clients) {
      client.get();
    }
    gateway.awaitBalance();
    upstream.drain();
    leavers.clear();
    assertThat(gateway.count("/race", TicketFate.CANCELLED)).isGreaterThan(before);
    for (int i = 0; i < 6; i++) {
      try (ByteSocket socket = connect().send(Moment.ANSWERED.request(-1))) {
        assertThat(socket.head().status()).isEqualTo(200);
      } catch (UncheckedIOException cut) {
        throw new AssertionError("request " + i + " got no answer", cut);
      }
    }
    upstream.drain();
  }
}
