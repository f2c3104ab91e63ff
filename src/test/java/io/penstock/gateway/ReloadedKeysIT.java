package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** Tests keys that are added, removed and changed while requests with them run. */
class ReloadedKeysIT extends HostileCase {
  private final Semaphore answers = new Semaphore(0);

  @Override
  String routes() {
    return keys(key("staying", ""));
  }

  private static String key(String name, String terms) {
    String sha256 = KeyedRequestsIT.sha256(name);
    return "  - {name: %s, sha256: %s%s}\n".formatted(name, sha256, terms);
  }

  private static String keys(String... keys) {
    return "keys:\n"
        + String.join("", keys)
        + """
        endpoints:
          - path: /openai
            dialect: openai
            upstreams: [{id: o, url: "%1$s", concurrency: 1}]
          - {path: /permit, algorithm: none}
        """;
  }

  /** Returns the answer to a reload of these routes. */
  private HttpMessage reload(String routes) throws IOException {
    // In one step: the watcher may read the file at any moment.
    Path aside = Path.of(gateway.routes() + ".new");
    Files.writeString(aside, routes.formatted(upstream.url()));
    Files.move(aside, gateway.routes(), StandardCopyOption.ATOMIC_MOVE);
    try (ByteSocket byteSocket = ByteSocket.to(gateway.operatorPort())) {
      return byteSocket
          .send(
              "POST /reload HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 0\r\n\r\n"
                  .formatted(gateway.operatorPort()))
          .answer();
    }
  }

  private void reloaded(String... keys) throws IOException {
    HttpMessage answer = reload(keys(keys));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  private HttpMessage permit(String secret) {
    return ask(
        "GET /permit HTTP/1.1\r\nHost: a\r\nx-penstock-key: "
            + secret
            + "\r\nConnection: close\r\n\r\n");
  }

  private ByteSocket chat(String secret) {
    return connect()
        .send(
            ByteSocket.request("POST", CHAT, ASK)
                .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + secret + "\r\n"));
  }

  private String left(String secret) {
    return String.valueOf(permit(secret).header("ratelimit"));
  }

  @Test
  void keyTakenAway_isNobodys_andOnlyWhatRunsGoesOn() throws Exception {
    reloaded(key("staying", ""), key("leaving", ", rpm: 100"));
    upstream.script(
        (from, byteSocket) -> {
          from.read(byteSocket);
          answers.acquire();
          byteSocket.send(OK);
        });
    ByteSocket running = chat("leaving");
    upstream.received();
    try (running;
        ByteSocket waiting = chat("leaving")) {
      gateway.await("/openai", TicketFate.WAITING, 1);
      reloaded(key("staying", ""), key("coming", ""));
      refused(permit("leaving"), 401, "unauthenticated");
      assertThat(permit("coming").status()).isEqualTo(200);
      assertThat(permit("staying").status()).isEqualTo(200);
      assertThat(waiting.answer().status()).isEqualTo(401);
      answers.release();
      assertThat(running.answer().status()).isEqualTo(200);
    }
  }

  @Test
  void limitThatIsChanged_appliesAtOnceToWhatIsSpentAlready() throws Exception {
    reloaded(key("changing", ", rpm: 10"));
    assertThat(left("changing")).startsWith("\"key-rpm\";r=9;");
    assertThat(left("changing")).startsWith("\"key-rpm\";r=8;");
    reloaded(key("changing", ", rpm: 4"));
    assertThat(left("changing")).startsWith("\"key-rpm\";r=1;");
    reloaded(key("changing", ", rpm: 3, on_limit: reject"));
    refused(permit("changing"), 429, "key_rpm");
    reloaded(key("changing", ", rpm: 6"));
    assertThat(left("changing")).startsWith("\"key-rpm\";r=2;");
    reloaded(key("changing", ""));
    assertThat(left("changing")).doesNotContain("key-rpm");
  }

  @Test
  void keyWithAnotherSecret_keepsWhatItHasSpent() throws Exception {
    String before = key("renewed", ", rpm: 3");
    reloaded(before);
    assertThat(left("renewed")).startsWith("\"key-rpm\";r=2;");
    reloaded(before.replace(KeyedRequestsIT.sha256("renewed"), KeyedRequestsIT.sha256("another")));
    refused(permit("renewed"), 401, "unauthenticated");
    assertThat(left("another")).startsWith("\"key-rpm\";r=1;");
  }

  @Test
  void limitThatIsRaised_letsGoWhoWaitsForIt() throws Exception {
    String waits = ", on_limit: wait, rpm: ";
    reloaded(key("parked", waits + 1));
    try (ByteSocket first = chat("parked");
        ByteSocket second = chat("parked")) {
      upstream.received();
      gateway.await("/openai", TicketFate.WAITING, 1);
      reloaded(key("parked", waits + 2));
      upstream.received();
      assertThat(first.answer().status()).isEqualTo(200);
      assertThat(second.answer().status()).isEqualTo(200);
    }
  }

  @Test
  void limitThatIsNew_holdsThoseWhoWaitAlready() throws Exception {
    reloaded(key("unlimited", ", on_limit: wait"));
    upstream.script(
        (from, byteSocket) -> {
          from.read(byteSocket);
          answers.acquire();
          byteSocket.send(OK);
        });
    try (ByteSocket first = chat("unlimited")) {
      upstream.received();
      try (ByteSocket second = waiting("unlimited", 1);
          ByteSocket third = waiting("unlimited", 2)) {
        reloaded(key("unlimited", ", on_limit: wait, rpm: 1"));
        answers.release(2);
        upstream.received();
        assertThat(first.answer().status()).isEqualTo(200);
        gateway.await("/openai", TicketFate.RUNNING, 0);
        gateway.await("/openai", TicketFate.WAITING, 1);
        reloaded(key("unlimited", ", on_limit: wait"));
        answers.release();
        upstream.received();
        assertThat(second.answer().status()).isEqualTo(200);
        assertThat(third.answer().status()).isEqualTo(200);
      }
    }
  }

  /** Sends a request that becomes the {@code place}-th of those that wait. */
  private ByteSocket waiting(String secret, int place) {
    ByteSocket byteSocket = chat(secret);
    gateway.await("/openai", TicketFate.WAITING, place);
    return byteSocket;
  }
}
