package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.endpoint.EndpointRegistry;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests paths that could mean one thing to the gateway and another to servers behind it; meanwhile
 * a good request is running.
 */
@Hostile(Hostile.By.CLIENT)
class HostilePathIT extends HostileCase {
  @Override
  String routes() {
    return """
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s"}]
      - path: /permit
        algorithm: none
    """;
  }

  private HttpMessage get(String target) {
    return ask("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
  }

  private void othersGo() {
    assertThat(get("/permit").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/permit/a%2Fb",
        "/permit/a%5cb",
        "/permit/../openai",
        "/permit/%2e%2E/openai",
        "/permit/a/./b",
        "/permit/..%2fopenai",
      })
  void permitWrittenInTwoWays_isRefused(String path) {
    HttpMessage answer = get(path);
    refused(answer, 400, "bad_request");
    othersGo();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "%00",
        "%0d%0aX-Evil:%201",
        "a%0Ab",
        "%1f",
        "%7F",
        "%7f%",
        "%zz",
        "a%",
        "a\u0000b"
      })
  void controlCharactersAndBrokenEscapes_areRefused(String segment) {
    refused(get("/permit/" + segment), 400, "bad_request");
    refused(get("/openai/v1/" + segment), 400, "bad_request");
    othersGo();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/nowhere", "//nowhere", "/permit%2f", "/PERMIT", "/permitx", "/"})
  void pathOfNoEndpoint_isNotFound(String path) {
    refused(get(path), 404, "no_endpoint");
    othersGo();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/permit/a", "//permit//a", "/permit/a/", "/%70ermit/%61", "/permit/a//"})
  void pathWithTooManySlashesOrEscapes_isTheSamePath(String path) {
    assertThat(get(path).text()).contains("\"endpoint\":\"/permit/a\"");
  }

  @Test
  void refusedPath_makesNoEndpoint() {
    refused(get("/permit/new%2Fone"), 400, "bad_request");
    assertThat(gateway.bean(EndpointRegistry.class).all())
        .noneMatch(endpoint -> endpoint.path().contains("new"));
  }

  @Test
  void longPath_isServedOrRefusedAsTooLong() {
    assertThat(get("/permit/" + "x".repeat(3_000)).status()).isEqualTo(200);
    refused(get("/permit/" + "x".repeat(8_192)), 414, "bad_request");
    refused(get("/permit" + "/x".repeat(4_096)), 414, "bad_request");
    othersGo();
  }

  @Test
  void refusedPath_leavesItsConnectionToOthers() {
    try (ByteSocket byteSocket = connect()) {
      for (int i = 0; i < 3; i++) {
        byteSocket.send("GET /permit/a%2Fb HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(byteSocket.answer().status()).isEqualTo(400);
        byteSocket.send("GET /permit HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(byteSocket.answer().status()).isEqualTo(200);
      }
    }
  }
}
