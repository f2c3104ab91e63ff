package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.Hostile;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests bodies that end before their end, with all that comes of them in one packet: their upstream
 * sees a broken request, or none, but never a complete one that is shorter.
 */
@Hostile(Hostile.By.CLIENT)
class BrokenBodyIT extends HostileCase {
  /** The way in which a client leaves after its first packet. */
  enum Break {
    CLOSE,
    HALF_CLOSE,
    RESET,
    /** It goes on with bytes that are no chunk, in the same packet; only in chunked bodies. */
    NO_CHUNK
  }

  private final List<HttpMessage> complete = new CopyOnWriteArrayList<>();
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();

  @Override
  String routes() {
    return """
    endpoints:
      - {path: /openai, dialect: openai, upstreams: [{id: o, url: "%1$s"}]}
      - {path: /plain, upstreams: [{id: p, url: "%1$s"}]}
    """;
  }

  static List<Arguments> breaks() {
    List<Arguments> all = new ArrayList<>();
    for (String target : new String[] {CHAT, FILES, "/plain/x"}) {
      for (String method : new String[] {"POST", "PUT", "PATCH", "DELETE", "GET"}) {
        if (target.equals(CHAT) && !method.equals("POST")) {
          continue; // is not weighed, so it is like a file
        }
        for (Break each : Break.values()) {
          all.add(Arguments.of(method, target, true, each));
          if (each != Break.NO_CHUNK) {
            all.add(Arguments.of(method, target, false, each));
          }
        }
      }
    }
    return all;
  }

  @BeforeEach
  void record() {
    complete.clear();
    upstream.script(
        (self, byteSocket) -> {
          byteSocket.awaitByte(); // a connection may be kept for later without a request
          begun.incrementAndGet();
          try {
            HttpMessage request = byteSocket.request();
            if (!"penstock-probe".equals(request.header("user-agent"))) {
              complete.add(request);
            }
            byteSocket.send(OK);
          } catch (UncheckedIOException broken) {
            byteSocket.close();
          } finally {
            ended.incrementAndGet();
          }
        });
  }

  private String packet(String method, String target, boolean chunked, Break each) {
    String part = ASK.substring(0, ASK.length() / 2);
    String head = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n";
    if (!chunked) {
      return head + "Content-Length: " + ASK.length() + "\r\n\r\n" + part;
    }
    String chunk = Integer.toHexString(part.length()) + "\r\n" + part + "\r\n";
    String more = each == Break.NO_CHUNK ? "zz\r\n" : "";
    return head + "Transfer-Encoding: chunked\r\n\r\n" + chunk + more;
  }

  @ParameterizedTest
  @MethodSource("breaks")
  void bodyThatBreaksInItsFirstPacket_isNotCompleteForTheUpstream(
      String method, String target, boolean chunked, Break each) {
    String endpoint = target.substring(0, target.indexOf('/', 1));
    long before = ended(endpoint);
    ByteSocket byteSocket = connect().send(packet(method, target, chunked, each));
    switch (each) {
      case CLOSE -> byteSocket.close();
      case HALF_CLOSE -> byteSocket.halfClose();
      case RESET -> byteSocket.reset();
      case NO_CHUNK -> byteSocket.awaitEnd();
    }
    if (each != Break.RESET) { // a reset may come before the request was read at all
      RunningGateway.awaiting().until(() -> ended(endpoint) > before);
    }
    assertThat(post(FILES, "the request after it").status()).isEqualTo(200);
    RunningGateway.awaiting().until(() -> begun.get() == ended.get());
    assertThat(complete).extracting(HttpMessage::text).containsExactly("the request after it");
    byteSocket.close();
  }

  /** Returns how many requests of an endpoint have ended, in whatever way. */
  private long ended(String endpoint) {
    return gateway.count(endpoint, TicketFate.CANCELLED)
        + gateway.count(endpoint, TicketFate.REFUSED)
        + gateway.count(endpoint, TicketFate.SERVED);
  }
}
