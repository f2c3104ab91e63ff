package io.penstock.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.TaggedTests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** Inspects and runs the image that {@code mvn verify -Pimage} has just built. */
@Tag(TaggedTests.IMAGE)
class ImageIT {
  private static final Path TAR = Path.of("target", "penstock-image.tar");
  private static final Path TLS = Path.of("src/test/resources/tls");
  private static final String TOKEN = "a-token-for-operators";

  @TempDir static Path directory;

  private static ImageTar image;

  private final int port = RunningGateway.freePort();
  private final int operatorPort = RunningGateway.freePort();

  @BeforeAll
  static void unpack() throws Exception {
    image = new ImageTar(TAR, directory);
  }

  private static Path routes(String name, String text) throws IOException {
    Path routes = Files.createDirectory(directory.resolve(name));
    Files.writeString(routes.resolve("a.yaml"), text);
    Files.copy(
        TLS.resolve("upstream.pem"), routes.resolve("ca.pem"), StandardCopyOption.REPLACE_EXISTING);
    return routes;
  }

  private String[] arguments(String... more) {
    return Stream.concat(
            Stream.of(
                "serve",
                "--host=0.0.0.0",
                "--port=" + port,
                "--operator-port=" + operatorPort,
                "--management.server.address=0.0.0.0",
                "--penstock.operator.token=" + TOKEN,
                "--penstock.keys.required=false"),
            Stream.of(more))
        .toArray(String[]::new);
  }

  @Test
  void tar_saysHowItIsRun() {
    JsonNode config = image.config();
    assertThat(config.path("User").asText()).isEqualTo("65532:65532");
    assertThat(image.entrypoint()).containsExactly(ImageTree.COMMAND);
    assertThat(config.path("Cmd").path(0).asText()).isEqualTo("serve");
    assertThat(config.at("/Labels/org.opencontainers.image.licenses").asText())
        .isEqualTo("Apache-2.0");
    assertThat(config.at("/Labels/org.opencontainers.image.version").asText())
        .matches("\\d+\\.\\d+\\.\\d+(-SNAPSHOT)?");
    assertThat(config.at("/Labels/org.opencontainers.image.created").asText())
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
    assertThat(config.at("/Labels/org.opencontainers.image.revision").asText())
        .matches("[0-9a-f]{40}");
    assertThat(config.at("/Labels/org.opencontainers.image.source").asText())
        .isNotEmpty()
        .doesNotContain("${");
  }

  @Test
  void tar_hasTheProgramOnce_andNothingThatItsUserCouldChange() throws Exception {
    assertThat(image.root().resolve("app")).doesNotExist();
    assertThat(image.root().resolve("opt/penstock/penstock.aot")).isNotEmptyFile();
    assertThat(image.root().resolve("opt/penstock/jre/bin/java")).isExecutable();
    assertThat(image.root().resolve("opt/penstock/penstock")).isExecutable();
    try (Stream<Path> files = Files.walk(image.root().resolve("opt"))) {
      assertThat(files.filter(Files::isRegularFile))
          .allMatch(ImageIT::isRootsAlone)
          .anyMatch(file -> file.toString().contains("/lib/spring-core-"));
    }
  }

  /** Returns whether only root can write a file, and others can read it. */
  private static boolean isRootsAlone(Path file) {
    try {
      int mode = (Integer) Files.getAttribute(file, "unix:mode");
      return (mode & 022) == 0 && (mode & 004) != 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void container_servesFromReadOnlyFilesWithTheAotCacheAndStopsWell() throws Exception {
    assumeRoot();
    SslContext tls =
        SslContextBuilder.forServer(
                TLS.resolve("upstream.pem").toFile(), TLS.resolve("upstream-key.pem").toFile())
            .build();
    DisposableServer upstream =
        HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .secure(secure -> secure.sslContext(tls))
            .handle((request, response) -> response.sendString(Mono.just("over TLS")))
            .bindNow();
    Path routes =
        routes(
            "all",
            """
            endpoints:
              - {path: /permit, rate: 50}
              - {path: /mock, dialect: openai, upstreams: [{id: m, url: "mock://openai"}]}
              - path: /tls
                upstreams: [{id: t, url: "https://127.0.0.1:%d", tls: {ca: ca.pem}}]
            """
                .formatted(upstream.port()));
    // makes an unusable cache an error
    Map<String, String> variables = Map.of("JAVA_TOOL_OPTIONS", "-XX:AOTMode=on");
    try (ImageContainer container =
        new ImageContainer(
            image,
            routes,
            variables,
            arguments(
                "--penstock.state.file=" + Path.of("/tmp", "state.db"),
                "--penstock.redis.url=" + RedisServer.shared().url(),
                "--penstock.redis.namespace=image-" + port))) {
      awaitReady(container);
      assertThat(container.user()).containsExactly("65532", "65532");
      assertThat(get(port, "/permit").status()).isEqualTo(200);
      assertThat(get(port, "/tls").text()).isEqualTo("over TLS");
      assertThat(chat().status()).isEqualTo(200);
      assertThat(get(operatorPort, "/actuator/prometheus").text()).contains("jvm_memory_used");
      assertThat(get(operatorPort, "/console").status()).isEqualTo(200);
      assertThat(top()).contains("/permit");
      container.terminate();
      assertThat(container.exitCode()).as(container.log()).isZero();
      assertThat(container.log().lines())
          .filteredOn(line -> !line.contains("the warm-up failed")) // on a slow machine
          .noneMatch(line -> line.contains("Exception") || line.contains("WARNING"));
    } finally {
      upstream.disposeNow();
    }
  }

  /** Runs {@code top} in the image, like the pod of {@code helm test}; returns its output. */
  private String top() throws Exception {
    Path none = Files.createDirectories(directory.resolve("none"));
    try (ImageContainer container =
        new ImageContainer(
            image,
            none,
            Map.of("PENSTOCK_OPERATOR_TOKEN", TOKEN),
            "top",
            "--once",
            "--attach=http://127.0.0.1:" + operatorPort)) {
      assertThat(container.exitCode()).as(container.log()).isZero();
      return container.log();
    }
  }

  @Test
  void containerWithoutArguments_findsRoutesWhereTheChartMountsThem() throws Exception {
    assumeRoot();
    Path good = routes("good", "endpoints: [{path: /a}]");
    try (ImageContainer container = new ImageContainer(image, good, Map.of(), "check")) {
      assertThat(container.exitCode()).as(container.log()).isZero();
    }
    Path bad = routes("bad", "endpoints: [{path: /a, rate: 0}]");
    String[] command =
        StreamSupport.stream(image.config().path("Cmd").spliterator(), false)
            .map(JsonNode::asText)
            .toArray(String[]::new);
    try (ImageContainer container = new ImageContainer(image, bad, Map.of(), command)) {
      assertThat(container.exitCode()).as(container.log()).isEqualTo(2);
      assertThat(container.log()).contains("a.yaml:1:").contains("rate is '0'");
    }
  }

  private static void assumeRoot() {
    assumeThat(ImageContainer.possible())
        .as("the image is not run: that takes Linux, and root, who may mount")
        .isTrue();
  }

  private void awaitReady(ImageContainer container) {
    PatientWaits.await()
        .failFast(() -> assertThat(container.runs()).as(container.log()).isTrue())
        .until(() -> ready());
  }

  private boolean ready() {
    try {
      return get(operatorPort, "/actuator/health/readiness").status() == 200;
    } catch (UncheckedIOException notYet) {
      return false;
    }
  }

  private static HttpMessage get(int port, String path) {
    List<String> lines =
        List.of("GET " + path + " HTTP/1.1", "Host: 127.0.0.1", "Authorization: Bearer " + TOKEN);
    try (ByteSocket byteSocket = ByteSocket.to(port)) {
      return byteSocket.send(String.join("\r\n", lines) + "\r\n\r\n").answer();
    }
  }

  private HttpMessage chat() {
    try (ByteSocket byteSocket = ByteSocket.to(port)) {
      return byteSocket
          .post(
              "/mock/v1/chat/completions",
              "{\"model\":\"m\",\"max_tokens\":5,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}")
          .answer();
    }
  }
}
