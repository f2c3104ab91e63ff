package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RunningGateway;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/**
 * Tests that clients learn the class of the cause when there is no answer from an upstream, and
 * operators the cause and the address.
 */
@SuppressWarnings("StringConcatToTextBlock") // the routes are put together from parts
class UpstreamFaultIT extends HostileCase {
  private final DisposableServer trusted = server("server.pem");
  private final DisposableServer elsewhere = server("elsewhere.pem");
  private final DisposableServer expired = server("expired.pem");
  private final int closedPort = RunningGateway.freePort();

  private static File file(String name) {
    return Path.of("src/test/resources/tls/redis", name).toAbsolutePath().toFile();
  }

  private static DisposableServer server(String certificate) {
    try {
      SslContext context =
          SslContextBuilder.forServer(file(certificate), file("server-key.pem")).build();
      return HttpServer.create()
          .host("127.0.0.1")
          .port(0)
          .secure(secure -> secure.sslContext(context))
          .handle((request, response) -> response.sendString(Mono.just("{}")))
          .bindNow();
    } catch (javax.net.ssl.SSLException unreadable) {
      throw new IllegalStateException(unreadable);
    }
  }

  private static String endpoint(String id, String url, boolean own) {
    String tls = own ? ", tls: {ca: \"" + file("ca.pem") + "\"}" : "";
    return "  - {path: /%1$s, dialect: openai, upstreams: [{id: %1$s, url: \"%2$s\"%3$s}]}\n"
        .formatted(id, url, tls);
  }

  @Override
  String routes() {
    return "endpoints:\n"
        + endpoint("trusted", "https://127.0.0.1:" + trusted.port(), true)
        + endpoint("untrusted", "https://127.0.0.1:" + trusted.port(), false)
        + endpoint("elsewhere", "https://127.0.0.1:" + elsewhere.port(), true)
        + endpoint("expired", "https://127.0.0.1:" + expired.port(), true)
        + endpoint("plain", "https://127.0.0.1:" + upstream.port(), true)
        + endpoint("closed", "http://127.0.0.1:" + closedPort + "/hidden", false)
        + endpoint("reset", "%1$s", false)
        + "  - path: /keyless\n    dialect: openai\n    upstreams:\n"
        + "      - {id: keyless, url: \"%1$s\", api_key: \"${UNSET_KEY}\"}\n";
  }

  @AfterAll
  void stopServers() {
    List.of(trusted, elsewhere, expired).forEach(DisposableServer::disposeNow);
  }

  private HttpMessage operator(String path) {
    try (ByteSocket byteSocket = ByteSocket.to(gateway.operatorPort())) {
      return byteSocket
          .send(
              "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n"
                  .formatted(path, gateway.operatorPort()))
          .answer();
    }
  }

  /** Returns what operators are told about the last error of an upstream. */
  private String lastError(String id) {
    String all = operator("/upstreams").text();
    String from = all.substring(all.indexOf("{\"id\":\"" + id + "\""));
    String marker = "\"last_error\":{\"what\":\"";
    String what = from.substring(from.indexOf(marker) + marker.length());
    return what.substring(0, what.indexOf("\",\"at\""));
  }

  @Test
  void certificateOfTheOwnAuthority_isTrusted() {
    assertThat(post("/trusted/v1/chat/completions", ASK).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "untrusted, the upstream's certificate is not trusted, https://127.0.0.1:",
    "elsewhere, the upstream's certificate is for another host, https://127.0.0.1:",
    "expired, the upstream's certificate has expired, https://127.0.0.1:",
    "plain, the upstream does not speak TLS on that port, https://127.0.0.1:",
    "closed, the upstream refused the connection, http://127.0.0.1:",
  })
  void causeOfNoConnection_isToldInClassToClients_andWithTheAddressToOperators(
      String id, String cause, String address) {
    // the upstream without TLS answers whatever comes first
    upstream.script((self, byteSocket) -> byteSocket.send("HTTP/1.1 400 Bad\r\n\r\n"));
    HttpMessage answer = post("/" + id + "/v1/chat/completions", ASK);
    refused(answer, 502, "upstream_unreachable");
    assertThat(answer.text()).contains('"' + cause + '"').doesNotContain("127.0.0.1", "hidden");
    assertThat(lastError(id)).startsWith(cause).contains("(" + address).doesNotContain("hidden");
    assertThat(logged.lines())
        .anyMatch(
            line ->
                line.startsWith("WARN io.penstock.upstream.answers upstream " + id + ": " + cause)
                    && line.contains("(" + address));
  }

  @Test
  void upstreamWithoutItsKey_refusesForGood_andOperatorsSeeWhichVariableIsMissing() {
    HttpMessage answer = post("/keyless/v1/chat/completions", ASK);
    refused(answer, 503, "no_healthy_upstream");
    assertThat(answer.header("retry-after")).isNull();
    assertThat(answer.header("retry-after-ms")).isNull();
    assertThat(answer.header("x-should-retry")).isEqualTo("false");
    assertThat(answer.text()).doesNotContain("UNSET_KEY");
    assertThat(operator("/upstreams").text())
        .contains(
            "\"health\":\"disabled\",\"paused\":false,\"disabled_because\":\"UNSET_KEY is not"
                + " set\"");
    assertThat(operator("/tickets/" + answer.header("x-request-id")).text())
        .contains("upstream keyless is disabled: UNSET_KEY is not set");
  }

  @Test
  void connectionThatIsReset_isToldFromOneThatIsClosed() {
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.reset();
        });
    HttpMessage answer = post("/reset/v1/chat/completions", ASK);
    refused(answer, 502, "upstream_unreachable");
    assertThat(answer.text()).contains("\"the upstream reset the connection\"");
    assertThat(lastError("reset"))
        .isEqualTo("the upstream reset the connection (" + upstream.url() + ")");
    upstream.drain();
  }
}
