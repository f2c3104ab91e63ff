package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fake.RunningGateway;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

class SafeByDefaultIT {
  @TempDir private static Path directory;
  private static ConfigurableApplicationContext context;
  private static int port;
  private static int operatorPort;

  @BeforeAll
  static void start() throws IOException {
    Path routes =
        Files.writeString(
            directory.resolve("routes.yaml"),
            """
            endpoints:
              - path: /demo
                dialect: openai
                upstreams:
                  - id: safe
                    url: mock://openai
              - path: /permit
                algorithm: none
            """);
    operatorPort = RunningGateway.freePort();
    GatewayServer.Start start =
        GatewayServer.start(
            Map.of(), routes, "--server.port=0", "--management.server.port=" + operatorPort);
    assertThat(start).isInstanceOf(GatewayServer.Started.class);
    context = ((GatewayServer.Started) start).context();
    port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @Test
  void withoutKeys_listensOnLoopbackOnly() throws IOException {
    List<InetAddress> others =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(each -> each instanceof Inet4Address && !each.isLoopbackAddress())
            .toList();
    InetAddress second = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
    for (int each : List.of(port, operatorPort)) {
      try (Socket loopback = new Socket(InetAddress.getLoopbackAddress(), each)) {
        assertThat(loopback.isConnected()).isTrue();
      }
      // Another address of the loopback range exists even on a machine without a network.
      assertThatThrownBy(() -> new Socket(second, each).close())
          .isInstanceOf(ConnectException.class);
      for (InetAddress other : others) {
        assertThatThrownBy(() -> new Socket(other, each).close()).isInstanceOf(IOException.class);
      }
    }
  }

  @Test
  void everyAnswer_carriesTheRequestId() throws Exception {
    for (String path : List.of("/demo/v1/models", "/demo/v1/chat/completions", "/permit", "/no")) {
      assertThat(get(path, "given-1").headers().firstValue("x-request-id"))
          .as(path)
          .hasValue("given-1");
      assertThat(get(path, null).headers().firstValue("x-request-id")).as(path).isPresent();
    }
  }

  @Test
  void requestId_thatIsNoToken_isReplaced() throws Exception {
    assertThat(get("/permit", "a b").headers().firstValue("x-request-id"))
        .hasValueSatisfying(id -> assertThat(id).isNotEqualTo("a b"));
    assertThat(get("/permit", "x".repeat(129)).headers().firstValue("x-request-id"))
        .hasValueSatisfying(id -> assertThat(id).hasSizeLessThan(129));
  }

  private static HttpResponse<String> get(String path, @Nullable String requestId)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    if (requestId != null) {
      request.header("x-request-id", requestId);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }
}
