package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Tests that keys that share an upstream get their share of it, in whatever order their requests
 * come.
 */
class FairKeysIT extends HostileCase {
  private static final int EACH = 8;
  private static final Pattern WHOSE = Pattern.compile("\"user\":\"(\\w+)\"");

  private final Semaphore answers = new Semaphore(0);

  @Override
  String routes() {
    return """
    keys:
      - {name: warm, sha256: WARM}
      - {name: greedy, sha256: GREEDY}
      - {name: modest, sha256: MODEST}
      - {name: heavy, sha256: HEAVY, weight: 3}
    endpoints:
      - path: /fair
        dialect: openai
        scheduler: fair
        upstreams: [{id: f, url: "%1$s", concurrency: 1}]
      - path: /small
        dialect: openai
        max_queue_size: 8
        upstreams: [{id: s, url: "%1$s", concurrency: 1}]
      - path: /fifo
        dialect: openai
        upstreams: [{id: i, url: "%1$s", concurrency: 1}]
    """
        .replace("WARM", KeyedRequestsIT.sha256("warm"))
        .replace("GREEDY", KeyedRequestsIT.sha256("greedy"))
        .replace("MODEST", KeyedRequestsIT.sha256("modest"))
        .replace("HEAVY", KeyedRequestsIT.sha256("heavy"));
  }

  /**
   * Returns the keys in the order in which they are served, while one request is served first and
   * all others come in turn and wait.
   */
  private List<String> order(String endpoint, String first, String second) throws Exception {
    upstream.script(
        (from, byteSocket) -> {
          from.read(byteSocket);
          answers.acquire();
          byteSocket.send(OK);
        });
    List<ByteSocket> open = new ArrayList<>();
    List<String> order = new ArrayList<>();
    try {
      open.add(send(endpoint, "warm"));
      upstream.received();
      for (String key : List.of(first, second)) {
        for (int i = 0; i < EACH; i++) {
          open.add(send(endpoint, key));
          gateway.await(endpoint, TicketFate.WAITING, open.size() - 1L);
        }
      }
      for (int i = 0; i < 2 * EACH; i++) {
        answers.release();
        order.add(whose(upstream.received()));
      }
      answers.release();
      for (ByteSocket byteSocket : open) {
        assertThat(byteSocket.answer().status()).isEqualTo(200);
      }
    } finally {
      open.forEach(ByteSocket::close);
    }
    return order;
  }

  private ByteSocket send(String endpoint, String key) {
    String body = ASK.replace("\"model\"", "\"user\":\"" + key + "\",\"model\"");
    return connect()
        .send(
            ByteSocket.request("POST", endpoint + "/v1/chat/completions", body)
                .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + key + "\r\n"));
  }

  private static String whose(HttpMessage asked) {
    return WHOSE
        .matcher(asked.text())
        .results()
        .map((MatchResult found) -> found.group(1))
        .findFirst()
        .orElseThrow();
  }

  private static long count(List<String> order, String key) {
    return order.stream().filter(key::equals).count();
  }

  @Test
  void keysOfEqualWeight_takeTurns_whoeverCameFirst() throws Exception {
    List<String> order = order("/fair", "greedy", "modest");
    assertThat(count(order, "modest")).isEqualTo(EACH);
    for (int served = 2; served <= order.size(); served += 2) {
      List<String> begun = order.subList(0, served);
      assertThat(count(begun, "greedy") - count(begun, "modest"))
          .as("%s", begun)
          .isBetween(-1L, 1L);
    }
  }

  @Test
  void keyOfThreeTimesTheWeight_isServedThreeTimesAsOften() throws Exception {
    List<String> order = order("/fair", "greedy", "heavy");
    assertThat(count(order.subList(0, EACH), "heavy")).isBetween(5L, 7L);
  }

  @Test
  void withoutAFairOrder_oneKeyLeavesPlacesForAnother() throws Exception {
    upstream.script(
        (from, byteSocket) -> {
          from.read(byteSocket);
          answers.acquire();
          byteSocket.send(OK);
        });
    List<ByteSocket> open = new ArrayList<>();
    try {
      open.add(send("/small", "warm"));
      upstream.received();
      for (int each = 1; each <= 6; each++) {
        open.add(send("/small", "greedy"));
        gateway.await("/small", TicketFate.WAITING, each);
      }
      try (ByteSocket refused = send("/small", "greedy")) {
        refused(refused.answer(), 429, "queue_full");
      }
      open.add(send("/small", "modest"));
      gateway.await("/small", TicketFate.WAITING, 7);
      answers.release(open.size());
      for (ByteSocket byteSocket : open) {
        assertThat(byteSocket.answer().status()).isEqualTo(200);
      }
      for (int each = 1; each < open.size(); each++) {
        upstream.received();
      }
    } finally {
      open.forEach(ByteSocket::close);
    }
  }

  @Test
  void withoutAFairOrder_whoCameFirstIsServedFirst() throws Exception {
    List<String> order = order("/fifo", "greedy", "modest");
    assertThat(order.subList(0, EACH)).containsOnly("greedy");
  }
}
