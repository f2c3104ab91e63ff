package io.penstock.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.penstock.event.Event;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.gateway.request.UpstreamFailure;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.UpstreamSpec.Tls;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LocalLimitSource;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.DisposableServer;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;

/** Tests connections with certificates, proxies or other settings of their own. */
class UpstreamConnectionsTest {
  private static final long SECOND = 1_000_000_000;

  @TempDir private Path directory;
  private final UpstreamRegistry upstreamRegistry =
      UpstreamFixture.registry(new LocalLimitSource(), 60_000_000_000L);
  private final UpstreamConnections upstreamConnections =
      new UpstreamConnections(client -> client, upstreamRegistry);

  @AfterEach
  void close() {
    upstreamConnections.close();
  }

  private UpstreamSpec spec(String url, @Nullable Tls tls, @Nullable String proxy) {
    UpstreamSpec.Timeouts timeouts =
        new UpstreamSpec.Timeouts(5 * SECOND, 5 * SECOND, 5 * SECOND, 300 * SECOND);
    URI by = proxy == null ? null : URI.create(proxy);
    return UpstreamSetup.of("u").url(url).link(new UpstreamSpec.Link(timeouts, tls, by)).spec();
  }

  private static String now(Mono<String> asked) throws Exception {
    return PatientWaits.get(asked.toFuture());
  }

  private Mono<String> asked(UpstreamSpec spec) throws SSLException {
    return asked(upstreamConnections, spec);
  }

  private static Mono<String> asked(UpstreamConnections connections, UpstreamSpec spec)
      throws SSLException {
    return connections
        .clients(spec)
        .pooled()
        .get()
        .uri(spec.url())
        .responseContent()
        .aggregate()
        .asString();
  }

  private Path pem(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  @Test
  void stop_comesBeforeThatOfTheEventLoops_andKeepsNoPool() throws Exception {
    upstreamConnections.clients(spec("http://localhost/", null, null)).pooled();
    assertThat(upstreamConnections.isRunning()).isTrue();
    assertThat(upstreamConnections.getPhase())
        .isGreaterThan(new ReactorResourceFactory().getPhase());
    upstreamConnections.stop();
    assertThat(upstreamConnections.isRunning()).isFalse();
  }

  /** A self-signed certificate with its key, which is also its own authority. */
  private record Identity(PrivateKey key, X509Certificate certificate) {
    String certificatePem() throws GeneralSecurityException {
      return pem("CERTIFICATE", certificate.getEncoded());
    }

    String keyPem() {
      return pem("PRIVATE KEY", key.getEncoded());
    }

    private static String pem(String what, byte[] bytes) {
      String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
      return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
    }
  }

  private Identity identity(String name) throws Exception {
    Path store = directory.resolve(name + ".p12");
    String tool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    List<String> command =
        List.of(
            tool,
            "-genkeypair",
            "-alias",
            "a",
            "-keyalg",
            "EC",
            "-dname",
            "CN=" + name,
            "-ext",
            "san=dns:localhost",
            "-storetype",
            "PKCS12",
            "-storepass",
            "changeit",
            "-keystore",
            store.toString());
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
    return new Identity(
        (PrivateKey) keys.getKey("a", "changeit".toCharArray()),
        (X509Certificate) keys.getCertificate("a"));
  }

  private static DisposableServer server(Identity own, @Nullable Identity clients)
      throws Exception {
    SslContextBuilder builder = SslContextBuilder.forServer(own.key(), own.certificate());
    if (clients != null) {
      builder.trustManager(clients.certificate()).clientAuth(ClientAuth.REQUIRE);
    }
    SslContext context = builder.build();
    return HttpServer.create()
        .host("localhost")
        .port(0)
        .secure(secure -> secure.sslContext(context))
        .handle((request, response) -> response.sendString(Mono.just("secret")))
        .bindNow();
  }

  private static String url(DisposableServer server) {
    return "https://localhost:" + server.port() + "/";
  }

  private static RefusalReason reason(Mono<String> asked) throws Exception {
    Throwable error =
        PatientWaits.get(
            asked.<Throwable>map(AssertionError::new).onErrorResume(Mono::just).toFuture());
    UpstreamFailure failure = UpstreamFailure.of(error);
    return failure == null || failure.sent()
        ? RefusalReason.BAD_REQUEST
        : failure.refusal().reason();
  }

  @Test
  void ownAuthority_isTrusted() throws Exception {
    Identity own = identity("server");
    DisposableServer server = server(own, null);
    Path ca = pem("ca.pem", own.certificatePem());
    assertThat(now(asked(spec(url(server), new Tls(ca, null, null), null)))).isEqualTo("secret");
    server.disposeNow();
  }

  @Test
  void otherAuthority_isUnreachable() throws Exception {
    DisposableServer server = server(identity("server"), null);
    Path ca = pem("ca.pem", identity("other").certificatePem());
    assertThat(reason(asked(spec(url(server), new Tls(ca, null, null), null))))
        .isEqualTo(RefusalReason.UPSTREAM_UNREACHABLE);
    assertThat(reason(asked(spec(url(server), null, null))))
        .isEqualTo(RefusalReason.UPSTREAM_UNREACHABLE);
    server.disposeNow();
  }

  @Test
  void upstreamThatAsksWhoWeAre_isShownOurCertificate() throws Exception {
    Identity theirs = identity("server");
    Identity ours = identity("gateway");
    DisposableServer server = server(theirs, ours);
    Path ca = pem("ca.pem", theirs.certificatePem());
    Path cert = pem("cert.pem", ours.certificatePem());
    Path key = pem("key.pem", ours.keyPem());
    assertThat(now(asked(spec(url(server), new Tls(ca, cert, key), null)))).isEqualTo("secret");
    assertThatThrownBy(() -> now(asked(spec(url(server), new Tls(ca, null, null), null))))
        .isInstanceOf(ExecutionException.class);
    server.disposeNow();
  }

  @Test
  void certificatesThatCannotBeRead_areAFailureOfTheLink() throws Exception {
    Path ca = pem("ca.pem", "no certificate");
    assertThatThrownBy(
            () ->
                upstreamConnections.clients(
                    spec("https://localhost/", new Tls(ca, null, null), null)))
        .isInstanceOf(SSLException.class);
    Path gone = directory.resolve("gone.pem");
    assertThatThrownBy(
            () ->
                upstreamConnections.clients(
                    spec("https://localhost/", new Tls(gone, null, null), null)))
        .isInstanceOf(SSLException.class);
  }

  @Test
  void proxy_isAskedToConnectWithItsPassword() throws Exception {
    try (RawUpstream proxy =
        RawUpstream.start(
            (self, byteSocket) -> {
              self.read(byteSocket);
              byteSocket.send("HTTP/1.1 200 Connected\r\n\r\n");
              self.read(byteSocket);
              byteSocket.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nfar");
            })) {
      String through = "http://me:pass@127.0.0.1:" + proxy.port();
      assertThat(now(asked(spec("http://no-such-host.invalid/x", null, through)))).isEqualTo("far");
      HttpMessage connect = proxy.received();
      assertThat(connect.start()).startsWith("CONNECT no-such-host.invalid:80 ");
      assertThat(connect.header("proxy-authorization"))
          .isEqualTo("Basic " + Base64.getEncoder().encodeToString("me:pass".getBytes(UTF_8)));
      HttpMessage asked = proxy.received();
      assertThat(asked.start()).isEqualTo("GET /x HTTP/1.1");
      assertThat(asked.header("proxy-authorization")).isNull();
    }
  }

  @Test
  void proxyThatRefuses_isUnreachable() throws Exception {
    try (RawUpstream proxy =
        RawUpstream.start(RawUpstream.answering("HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n"))) {
      assertThat(
              reason(
                  asked(
                      spec(
                          "http://no-such-host.invalid/",
                          null,
                          "http://127.0.0.1:" + proxy.port()))))
          .isEqualTo(RefusalReason.UPSTREAM_UNREACHABLE);
    }
  }

  @Test
  void sameLink_isTheSameClient_andAnotherIsNot() throws Exception {
    UpstreamSpec spec = spec("http://127.0.0.1:1/", null, null);
    HttpClient client = upstreamConnections.clients(spec).pooled();
    assertThat(upstreamConnections.clients(spec("http://127.0.0.1:2/", null, null)).pooled())
        .isSameAs(client);
    assertThat(
            upstreamConnections
                .clients(spec("http://127.0.0.1:1/", null, "http://127.0.0.1:9"))
                .pooled())
        .isNotSameAs(client);
  }

  private static UpstreamSpec aged(DisposableServer server, long ageNanos) {
    UpstreamSpec.Timeouts timeouts =
        new UpstreamSpec.Timeouts(5 * SECOND, 5 * SECOND, 5 * SECOND, ageNanos);
    return UpstreamSetup.of("u")
        .url("http://127.0.0.1:" + server.port() + "/")
        .link(new UpstreamSpec.Link(timeouts, null, null))
        .spec();
  }

  /**
   * Starts a server that answers with the client's port, by which connections are told apart.
   *
   * @param together how many requests the first answer waits for
   */
  private static DisposableServer naming(HttpProtocol protocol, int together) {
    AtomicInteger requests = new AtomicInteger();
    Sinks.Empty<Void> here = Sinks.empty();
    return HttpServer.create()
        .host("127.0.0.1")
        .port(0)
        .protocol(protocol)
        .handle(
            (request, response) -> {
              if (requests.incrementAndGet() == together) {
                here.tryEmitEmpty().orThrow();
              }
              String port = String.valueOf(request.remoteAddress());
              return response.sendString(here.asMono().thenReturn(port));
            })
        .bindNow();
  }

  @ParameterizedTest
  @EnumSource(
      value = HttpProtocol.class,
      names = {"HTTP11", "H2C"})
  void connectionOfTheGreatestAge_takesNoFurtherRequest(HttpProtocol protocol) throws Exception {
    DisposableServer server = naming(protocol, 1);
    try (UpstreamConnections connections =
        new UpstreamConnections(client -> client.protocol(protocol), upstreamRegistry)) {
      UpstreamSpec spec = aged(server, SECOND / 1_000);
      String first = now(asked(connections, spec));
      PatientWaits.await().until(() -> !now(asked(connections, spec)).equals(first));
    }
    server.disposeNow();
  }

  @Test
  void http2ConnectionThatIsYounger_takesAllRequests() throws Exception {
    DisposableServer server = naming(HttpProtocol.H2C, 1);
    try (UpstreamConnections connections =
        new UpstreamConnections(client -> client.protocol(HttpProtocol.H2C), upstreamRegistry)) {
      UpstreamSpec spec = aged(server, 86_400 * SECOND);
      String first = now(asked(connections, spec));
      for (int i = 0; i < 10; i++) {
        assertThat(now(asked(connections, spec))).isEqualTo(first);
      }
    }
    server.disposeNow();
  }

  @Test
  void idleConnections_takeTurns() throws Exception {
    DisposableServer server = naming(HttpProtocol.HTTP11, 2);
    UpstreamSpec spec = aged(server, 86_400 * SECOND);
    List<String> both =
        PatientWaits.get(Flux.merge(asked(spec), asked(spec)).collectList().toFuture());
    assertThat(both).doesNotHaveDuplicates();
    List<String> later = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      later.add(now(asked(spec)));
    }
    assertThat(later).containsAll(both);
    server.disposeNow();
  }

  @Test
  void otherGreatestAge_isAnotherClient() throws Exception {
    DisposableServer server = naming(HttpProtocol.HTTP11, 1);
    HttpClient client = upstreamConnections.clients(aged(server, SECOND)).pooled();
    assertThat(upstreamConnections.clients(aged(server, SECOND)).pooled()).isSameAs(client);
    assertThat(upstreamConnections.clients(aged(server, 2 * SECOND)).pooled()).isNotSameAs(client);
    server.disposeNow();
  }

  /**
   * Sends a request. If its answer is the second one of a connection, the upstream is removed once
   * that answer has begun.
   */
  private String heard(UpstreamSpec spec, CountDownLatch gone) throws Exception {
    StringBuilder heard = new StringBuilder();
    Mono<Void> ends =
        upstreamConnections
            .clients(spec)
            .pooled()
            .get()
            .uri(spec.url())
            .responseContent()
            .asString()
            .doOnNext(
                part -> {
                  heard.append(part);
                  if (part.startsWith("beg")) {
                    upstreamConnections.publish(new Event.Reloaded(0, true, ""));
                    gone.countDown();
                  }
                })
            .then();
    PatientWaits.get(ends.toFuture());
    return heard.toString();
  }

  @Test
  void upstreamThatGoes_losesItsConnectionsOnceTheyAreIdle() throws Exception {
    CountDownLatch gone = new CountDownLatch(1);
    try (RawUpstream upstream =
        RawUpstream.start(
            (self, byteSocket) -> {
              self.read(byteSocket);
              byteSocket.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nidl");
              self.read(byteSocket);
              byteSocket.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nbeg");
              gone.await();
              byteSocket.send("end");
              byteSocket.awaitEnd();
            })) {
      UpstreamSpec spec = spec(upstream.url(), null, null);
      assertThat(now(asked(spec))).isEqualTo("idl");
      String heard = heard(spec, gone);
      while (heard.equals("idl")) {
        heard = heard(spec, gone); // the first connection was not back in its pool yet
      }
      assertThat(heard).isEqualTo("begend");
      assertThat(now(asked(spec))).as("a connection of its own").isEqualTo("idl");
    }
  }
}
