package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.StartedGateway;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;

/** Tests that a configuration of rls determines where the gateway listens. */
class RlsStartIT {
  private static final String UPSTREAM = "upstreams: [{id: u, url: 'mock://openai'}]";

  @TempDir private Path directory;

  private GatewayServer.Start start(String host, int port, String endpoint, String... arguments)
      throws IOException {
    String text =
        """
        server:
          host: "%s"
          port: %d
        endpoints:
          - path: /a
            %s
        """
            .formatted(host, port, endpoint);
    Path file = Files.writeString(directory.resolve("rls.yml"), text);
    return GatewayServer.start(Map.of(), file, arguments);
  }

  private static String operator() {
    return "--management.server.port=" + StartedGateway.freePort();
  }

  private static boolean listens(String address, int port) {
    try (Socket socket = new Socket(InetAddress.getByName(address), port)) {
      return socket.isConnected();
    } catch (IOException refused) {
      return false;
    }
  }

  @Test
  void hostAndPort_ofTheFile_areListenedOn() throws Exception {
    int port = StartedGateway.freePort();
    GatewayServer.Start start = start("127.0.0.2", port, "rate: 1", operator());
    try (ConfigurableApplicationContext context = ((GatewayServer.Started) start).context()) {
      assertThat(context.isActive()).isTrue();
      assertThat(listens("127.0.0.2", port)).isTrue();
      assertThat(listens("127.0.0.1", port)).isFalse();
    }
  }

  @Test
  void hostAndPort_alsoGivenAsArguments_areThoseOfTheArguments() throws Exception {
    int port = StartedGateway.freePort();
    GatewayServer.Start start =
        start(
            "192.0.2.1",
            StartedGateway.freePort(),
            "rate: 1",
            operator(),
            "--server.address=127.0.0.1",
            "--server.port=" + port);
    try (ConfigurableApplicationContext context = ((GatewayServer.Started) start).context()) {
      Environment environment = context.getEnvironment();
      assertThat(environment.getProperty("local.server.port", Integer.class)).isEqualTo(port);
      assertThat(listens("127.0.0.1", port)).isTrue();
    }
  }

  @Test
  void everyAddress_withoutUpstreams_isListenedOnAsRlsDoes() throws Exception {
    int port = StartedGateway.freePort();
    GatewayServer.Start start = start("0.0.0.0", port, "rate: 1", operator());
    try (ConfigurableApplicationContext context = ((GatewayServer.Started) start).context()) {
      assertThat(context.isActive()).isTrue();
      assertThat(listens("127.0.0.1", port)).isTrue();
      assertThat(listens("127.0.0.2", port)).isTrue();
      assertThat(StartedGateway.ask(port, "GET /a")).startsWith("HTTP/1.1 200");
      assertThat(StartedGateway.ask(port, "GET /nobody/knows")).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void everyAddress_withAnUpstream_isRefusedUnlessItIsMeant() throws Exception {
    int port = StartedGateway.freePort();
    assertThat(start("0.0.0.0", port, UPSTREAM, operator()))
        .isInstanceOf(GatewayServer.Unsafe.class);
    GatewayServer.Start meant =
        start("0.0.0.0", port, UPSTREAM, operator(), "--penstock.keys.required=false");
    assertThat(meant).isInstanceOf(GatewayServer.Started.class);
    ((GatewayServer.Started) meant).context().close();
  }

  @Test
  void everyAddress_thatIsAnArgument_needsToBeMeantWithoutUpstreamsToo() throws Exception {
    String everywhere = "--server.address=0.0.0.0";
    assertThat(start("127.0.0.1", StartedGateway.freePort(), "rate: 1", operator(), everywhere))
        .isInstanceOf(GatewayServer.Unsafe.class);
  }

  @Test
  void reload_thatAddsAnUpstreamOnEveryAddress_isRefused() throws Exception {
    int port = StartedGateway.freePort();
    int operatorPort = StartedGateway.freePort();
    String operator = "--management.server.port=" + operatorPort;
    GatewayServer.Start start = start("0.0.0.0", port, "rate: 1", operator);
    try (ConfigurableApplicationContext context = ((GatewayServer.Started) start).context()) {
      assertThat(context.isActive()).isTrue();
      Path file = directory.resolve("rls.yml");
      Files.writeString(file, Files.readString(file).replace("rate: 1", UPSTREAM));
      String answer = StartedGateway.ask(operatorPort, "POST /reload", "Content-Length: 0");
      assertThat(answer).contains("could use the upstreams").doesNotStartWith("HTTP/1.1 200");
      assertThat(StartedGateway.ask(operatorPort, "GET /config")).doesNotContain("mock://");
    }
  }
}
