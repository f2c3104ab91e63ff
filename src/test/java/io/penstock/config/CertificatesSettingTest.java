package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pool.UpstreamSpec.Tls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Certificates for connections to an upstream: files next to the route file. */
class CertificatesSettingTest {
  private static final Path RESOURCES = Path.of("src/test/resources/tls");
  private static final String CERTIFICATES = "expected a PEM file of certificates (X.509)";
  private static final String KEY = "expected a PEM file of a private key (PKCS #8, not encrypted)";

  @TempDir Path directory;

  @BeforeEach
  void files() throws IOException {
    Files.createDirectory(directory.resolve("pem"));
    Files.copy(RESOURCES.resolve("upstream.pem"), directory.resolve("pem/cert.pem"));
    Files.copy(RESOURCES.resolve("upstream-key.pem"), directory.resolve("pem/key.pem"));
    Files.writeString(directory.resolve("pem/empty.pem"), "");
    Files.write(directory.resolve("pem/large.pem"), new byte[(1 << 20) + 1]);
    Files.writeString(
        directory.resolve("pem/broken.pem"),
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
  }

  private static String file(String url, String tls) {
    return Routes.endpointFile("upstreams: [{id: u, url: '" + url + "',", " tls: " + tls + "}]");
  }

  private Routes written(String tls) {
    return new Routes(directory).write("a.yaml", file("https://u", tls));
  }

  private Tls tls(String tls) {
    ConfigurationSnapshot snapshot = written(tls).good(Map.of());
    return Objects.requireNonNull(
        snapshot.endpoints().getFirst().upstreams().getFirst().link().tls());
  }

  @Test
  void files_besideTheRouteFile_areFoundWhereverTheGatewayRuns() {
    Path pem = directory.toAbsolutePath().normalize().resolve("pem");
    assertThat(tls("{ca: pem/cert.pem}")).isEqualTo(new Tls(pem.resolve("cert.pem"), null, null));
    assertThat(tls("{cert: pem/cert.pem, key: ./pem/../pem/key.pem}"))
        .isEqualTo(new Tls(null, pem.resolve("cert.pem"), pem.resolve("key.pem")));
    assertThat(tls("{ca: '" + pem.resolve("cert.pem") + "'}").ca())
        .isEqualTo(pem.resolve("cert.pem"));
  }

  @Test
  void unset_thePlatformsTrustIsUsed() {
    ConfigurationSnapshot snapshot =
        new Routes(directory).write("a.yaml", Routes.upstreamFile()).good(Map.of());
    assertThat(snapshot.endpoints().getFirst().upstreams().getFirst().link().tls()).isNull();
  }

  @Test
  void printed_loadedAgain_isTheSameAndShowsNoKey() throws IOException {
    ConfigurationSnapshot first =
        written("{ca: pem/cert.pem, cert: pem/cert.pem, key: pem/key.pem}").good(Map.of());
    String printed = RouteText.yaml(first);
    Routes.assertSame(new Routes(directory).write("a.yaml", printed).good(Map.of()), first);
    String key = Files.readString(directory.resolve("pem/key.pem")).lines().toList().get(1);
    assertThat(printed).contains("pem/key.pem").doesNotContain(key);
  }

  @Test
  void sameUpstreamWithOtherCertificates_isAFault() {
    Routes routes =
        new Routes(directory)
            .write("a.yaml", file("https://u", "{ca: pem/cert.pem}"))
            .write(
                "b.yaml",
                file("https://u", "{cert: pem/cert.pem, key: pem/key.pem}")
                    .replace("path: /a", "path: /b"));
    assertThat(routes.faults(Map.of()))
        .containsExactly(
            "b.yaml:3:22: upstream 'u' differs from the one at a.yaml:3:22 in tls, expected the"
                + " same or another id");
  }

  static Stream<Arguments> faulty() {
    return Stream.of(
        fault("{ca: none.pem}", "16: ca is 'none.pem', which cannot be read, " + CERTIFICATES),
        fault("{ca: pem}", "16: ca is 'pem', which cannot be read, " + CERTIFICATES),
        fault(
            "{ca: pem/empty.pem}",
            "16: ca is 'pem/empty.pem', which holds none that can be read, " + CERTIFICATES),
        fault(
            "{ca: pem/key.pem}",
            "16: ca is 'pem/key.pem', which holds none that can be read, " + CERTIFICATES),
        fault(
            "{ca: pem/large.pem}",
            "16: ca is 'pem/large.pem', which is larger than 1 MiB, " + CERTIFICATES),
        fault("{ca: 5}", "16: ca is '5', " + CERTIFICATES),
        fault("{ca: ' '}", "16: ca is ' ', " + CERTIFICATES),
        fault("{ca: \"a\\0b\"}", "16: ca is 'a?b', " + CERTIFICATES),
        fault(
            "{cert: pem/cert.pem, key: pem/cert.pem}",
            "37: key is 'pem/cert.pem', which holds none that can be read, " + KEY),
        fault(
            "{cert: pem/cert.pem, key: pem/broken.pem}",
            "37: key is 'pem/broken.pem', which holds none that can be read, " + KEY),
        fault("{cert: pem/cert.pem}", "11: tls has a cert and no key, expected both or none"),
        fault("{key: pem/key.pem}", "11: tls has a key and no cert, expected both or none"),
        fault("{}", "11: tls is empty, expected ca, or cert and key"),
        fault("[]", "11: tls is a list, expected a mapping of settings"),
        fault("{cas: pem/cert.pem}", "12: unknown key 'cas', did you mean 'ca'?"));
  }

  private static Arguments fault(String tls, String fault) {
    return Arguments.of(tls, "a.yaml:4:" + fault);
  }

  @ParameterizedTest
  @MethodSource("faulty")
  void badCertificates_alone_areTheOnlyFaultAtTheirPlace(String tls, String fault) {
    assertThat(written(tls).faults(Map.of())).containsExactly(fault);
  }

  @Test
  void tlsOrProxyWithAnAddressThatHasNoUseForIt_isAFault() {
    assertThat(
            new Routes(directory)
                .write("a.yaml", file("http://u", "{ca: pem/cert.pem}"))
                .faults(Map.of()))
        .containsExactly("a.yaml:4:11: tls is set, but url is no https address, expected one");
    assertThat(
            new Routes(directory)
                .write(
                    "a.yaml",
                    Routes.endpointFile(
                        "upstreams: [{id: u, url: 'mock://openai', proxy: 'http://p:1'}]"))
                .faults(Map.of()))
        .containsExactly("a.yaml:3:54: proxy is set, but url is a mock address, expected another");
  }
}
