package io.penstock.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that clients may send further requests on a connection before they are answered, and use it
 * after that.
 */
class PipeliningIT {
  private static final String ROUTES =
      """
      keys: [{name: filed, sha256: SHA}]
      endpoints:
        - {path: /slow, algorithm: strict, rate: 50, unit: rps}
        - {path: /free, algorithm: none}
      """;

  private static final String SECRET = KeySecrets.make();

  @TempDir private static Path directory;
  private static StartedGateway gateway;

  @BeforeAll
  static void start() {
    gateway =
        StartedGateway.start(
            directory,
            ROUTES.replace("SHA", KeySecrets.sha256(SECRET)),
            "--penstock.keys.store=file:" + directory.resolve("keys.db"));
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  private static String asks(String method, String target, String body) {
    return ByteSocket.request(method, target, body)
        .replace("Host: penstock", "Host: localhost\r\nX-Penstock-Key: " + SECRET);
  }

  /** Sends all requests at once, three times on one connection, and then one alone. */
  private static List<String> answers(int port, String alone, String... together) {
    try (ByteSocket byteSocket = ByteSocket.to(port)) {
      return Collections.nCopies(3, List.of(together)).stream()
          .flatMap(
              all -> {
                byteSocket.send(String.join("", all));
                List<HttpMessage> many = all.stream().map(each -> byteSocket.answer()).toList();
                byteSocket.send(alone);
                return Stream.concat(many.stream(), Stream.of(byteSocket.answer()));
              })
          .map(HttpMessage::start)
          .toList();
    }
  }

  @Test
  void requestsTogether_areAnsweredInOrder_andTheNextOneIsRead() {
    String slow = asks("GET", "/slow", "");
    String free = asks("GET", "/free", "");
    assertThat(answers(gateway.port(), free, slow, slow, free, free))
        .hasSize(15)
        .containsOnly("HTTP/1.1 200 OK");
  }

  @Test
  void requestsTogetherOfAnOperator_areAnsweredInOrder_andTheNextOneIsRead() {
    assertThat(answers(gateway.operatorPort(), asks("GET", "/keys", ""), addKey("first")))
        .first()
        .isEqualTo("HTTP/1.1 201 Created");
    String change = asks("PATCH", "/keys/first", "{\"rpm\":7}");
    String look = asks("GET", "/keys/first", "");
    assertThat(answers(gateway.operatorPort(), look, change, look))
        .hasSize(9)
        .containsOnly("HTTP/1.1 200 OK");
  }

  private static String addKey(String name) {
    return asks("POST", "/keys", "{\"name\":\"" + name + "\"}");
  }
}
