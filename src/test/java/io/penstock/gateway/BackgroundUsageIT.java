package io.penstock.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.key.KeySecrets;
import io.penstock.usage.UsageLedger;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that usage which an answer states only when a client asks for it later is charged. */
class BackgroundUsageIT {
  private static final String USAGE =
      "\"usage\":{\"input_tokens\":100,\"output_tokens\":9000,\"total_tokens\":9100}";
  private static final String ASK = "{\"model\":\"m\",\"input\":\"Hi\",\"background\":true}";
  private static final String JSON = "Content-Type: application/json\r\n";

  private final AtomicInteger made = new AtomicInteger();
  private final RawUpstream upstream = RawUpstream.start(this::answer);
  private final RunningGateway gateway = start();

  /** Members of an answer that is asked for. */
  private volatile String more = "";

  private volatile String head = JSON;

  private RunningGateway start() {
    return RunningGateway.start(
        """
        keys:
          - {name: alice, sha256: %s}
          - {name: bob, sha256: %s, tpm: 20000, on_limit: reject}
          - {name: carol, sha256: %s, group: few}
        groups: [{name: few, tpm: 20000, on_limit: reject}]
        endpoints:
          - path: /o
            dialect: openai
            upstreams: [{id: o, url: "%4$s", api_key: k, rpm: 6000}]
          - path: /z
            dialect: azure
            upstreams: [{id: z, url: "%4$s", api_key: k, rpm: 6000}]
          - path: /s
            dialect: openai
            shadow: true
            upstreams: [{id: s, url: "%4$s", api_key: k, rpm: 6000}]
        """
            .formatted(
                KeySecrets.sha256("alice"),
                KeySecrets.sha256("bob"),
                KeySecrets.sha256("carol"),
                upstream.url()));
  }

  @AfterEach
  void stop() {
    gateway.awaitBalance();
    gateway.close();
    upstream.close();
  }

  private static byte[] zipped(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(text.getBytes(UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private void answer(RawUpstream self, ByteSocket byteSocket) {
    HttpMessage asked = self.read(byteSocket);
    String target = asked.target();
    String body;
    if (asked.start().startsWith("POST") && target.contains("/cancel")) {
      body = "{\"id\":\"x\",\"object\":\"response\",\"status\":\"cancelled\"," + USAGE + "}";
    } else if (asked.start().startsWith("POST")) {
      String usage = asked.text().contains("background") ? "\"usage\":null" : USAGE;
      body =
          "{\"id\":\"resp_%d\",\"object\":\"response\",\"output\":[],%s}"
              .formatted(made.incrementAndGet(), usage);
    } else if (target.contains("stream=true")) {
      body =
          "event: response.output_text.delta\ndata: {\"delta\":\"Hi\"}\n\n"
              + "event: response.completed\ndata: {\"response\":{\"id\":\"resp_1\","
              + USAGE
              + "}}\n\n";
    } else {
      body = "{\"id\":\"x\",\"model\":\"m\",\"output\":[]" + more + "," + USAGE + "}";
    }
    byte[] bytes = head.contains("gzip") ? zipped(body) : body.getBytes(UTF_8);
    byteSocket.send(
        "HTTP/1.1 200 OK\r\n%sConnection: close\r\nContent-Length: %d\r\n\r\n"
            .formatted(head, bytes.length));
    byteSocket.send(bytes);
  }

  private static HttpMessage send(
      RunningGateway to, String key, String method, String target, String body) {
    try (ByteSocket byteSocket = ByteSocket.to(to.port())) {
      String request =
          ByteSocket.request(method, target, body)
              .replace("Host: penstock", "Host: a\r\nx-penstock-key: " + key);
      return byteSocket.send(request).answer();
    }
  }

  private HttpMessage make(String key) {
    return send(gateway, key, "POST", "/o/v1/responses", ASK);
  }

  private void get(String key, String target) {
    assertThat(send(gateway, key, "GET", target, "").status()).isEqualTo(200);
  }

  private static List<Long> tokens(RunningGateway of, String key) {
    of.awaitBalance();
    List<UsageLedger.Row> rows =
        of.bean(UsageLedger.class).rows().stream().filter(row -> row.key().equals(key)).toList();
    return List.of(
        rows.stream().mapToLong(UsageLedger.Row::input).sum(),
        rows.stream().mapToLong(UsageLedger.Row::output).sum());
  }

  @ParameterizedTest
  @CsvSource({
    "/o/v1/responses, GET, resp_1, ",
    "/o/v1/responses, GET, resp_1?stream=true&starting_after=1, ",
    "/o/v1/responses, GET, resp_1, Content-Type: text/plain",
    "/o/v1/responses, GET, resp_1, Content-Encoding: gzip",
    "/o/v1/responses, POST, resp_1/cancel, ",
    "/o//v1/responses/, GET, /resp_1/, ",
    "/z/openai/v1/responses, GET, resp_1, ",
    "/z/openai/v1/responses, GET, resp_1?stream=true, ",
    "/s/v1/responses, GET, resp_1, "
  })
  void answerThatIsAskedForLater_countsOnce_forTheKeyThatMadeIt(
      String path, String method, String asked, String type) {
    assertThat(send(gateway, "alice", "POST", path, ASK).status()).isEqualTo(200);
    assertThat(tokens(gateway, "alice").get(1)).as("expected").isLessThan(9_000);
    head = type == null ? JSON : type + "\r\n";
    for (String key : List.of("bob", "alice", "alice")) {
      assertThat(send(gateway, key, method, path + "/" + asked, "").status()).isEqualTo(200);
      assertThat(tokens(gateway, "alice")).containsExactly(100L, 9_000L);
      assertThat(tokens(gateway, "bob")).containsExactly(0L, 0L);
    }
  }

  @ParameterizedTest
  @CsvSource({"bob", "carol"})
  void keyWithALimit_hasWhatItsAnswersUsed(String key) {
    int served = 0;
    for (int i = 1; i <= 6; i++) {
      served += make(key).status() == 200 ? 1 : 0;
      send(gateway, key, "GET", "/o/v1/responses/resp_" + i, "");
    }
    assertThat(served).isEqualTo(3);
  }

  @Test
  void answerThatStatedItsUsageAtOnce_isNotChargedAgain() {
    send(gateway, "alice", "POST", "/o/v1/responses", "{\"model\":\"m\",\"input\":\"Hi\"}");
    get("alice", "/o/v1/responses/resp_1");
    get("bob", "/o/v1/responses/resp_1?stream=true");
    assertThat(tokens(gateway, "alice")).containsExactly(100L, 9_000L);
    assertThat(tokens(gateway, "bob")).containsExactly(0L, 0L);
  }

  @Test
  void otherInstance_chargesTheKeyThatAsks_once() {
    make("alice");
    try (RunningGateway other = start()) {
      for (int i = 0; i < 3; i++) {
        send(other, "alice", "GET", "/o/v1/responses/resp_1", "");
      }
      assertThat(tokens(other, "alice")).containsExactly(100L, 9_000L);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {",\"background\":false", ",\"background\":true,\"created_at\":1700000000"})
  void unknownAnswer_thatIsOldOrWasNotMadeInTheBackground_isNotCharged(String says) {
    more = says;
    get("alice", "/o/v1/responses/resp_9");
    assertThat(tokens(gateway, "alice")).containsExactly(0L, 0L);
  }

  @Test
  void otherPathsBelow_chargeNothing() {
    for (String path : List.of("/resp_9/input_items", "", "/resp_9/cancel/x")) {
      get("alice", "/o/v1/responses" + path);
    }
    get("alice", "/o/v1/files/resp_9");
    assertThat(tokens(gateway, "alice")).containsExactly(0L, 0L);
  }
}
