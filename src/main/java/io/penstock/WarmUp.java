package io.penstock;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.penstock.config.ConfigurationSnapshot;
import io.penstock.config.FilesFingerprint;
import io.penstock.config.LoadedConfiguration;
import io.penstock.config.RouteFiles;
import io.penstock.key.KeySecrets;
import io.penstock.mock.MockAddress;
import io.penstock.settings.StartSetup;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Sends requests through a gateway of its own before the real one is created, so that the code of
 * the whole way is loaded and partly compiled when the first client comes.
 *
 * <p>That gateway shares nothing with the real one but the JVM: it has a configuration, limits,
 * keys and meters of its own, listens on a free port of the loopback, serves only the holder of a
 * random key, forwards only to the built-in mock provider, and is gone before the real one listens.
 */
final class WarmUp {
  /** The longest time for which requests are sent. */
  private static final long MOST_NANOS = 2_000_000_000L;

  /** The most requests that are sent, one half of them for streams. */
  private static final int MOST_REQUESTS = 400;

  /** The fewest requests, so that a slow machine has done each kind once. */
  private static final int LEAST_REQUESTS = 2;

  private static final int TIMEOUT_MILLIS = 5_000;
  private static final int OK = 200;

  /** Properties of the warm-up's gateway; it reads no file, variable or argument. */
  static final Map<String, Object> PROPERTIES =
      Map.of(
          "spring.config.location", "classpath:/application.yml",
          "spring.main.keep-alive", "false",
          "server.address", "127.0.0.1",
          "server.port", "0",
          "management.server.port", "-1",
          "management.metrics.use-global-registry", "false");

  private static final org.slf4j.Logger LOG = LoggerFactory.getLogger("io.penstock.lifecycle");

  private final String secret;
  private final Ticker ticker;

  private WarmUp(String secret, Ticker ticker) {
    this.secret = secret;
    this.ticker = ticker;
  }

  /** Does what {@link #run} does, silently; a failure is only logged. */
  static void attempt(Work work) {
    LoggerContext logging = (LoggerContext) LoggerFactory.getILoggerFactory();
    Silence silence = new Silence();
    logging.addTurboFilter(silence);
    Exception failure = null;
    try {
      work.run();
    } catch (IOException | RuntimeException e) {
      failure = e;
    } finally {
      logging.getTurboFilterList().remove(silence);
    }
    if (failure != null) {
      String why = failure.getMessage() == null ? "without a message" : failure.getMessage();
      LOG.warn(
          "the gateway could not answer a request of its own before it opened its port, so the"
              + " first requests may take some seconds; nothing else is affected ({})",
          why);
    }
  }

  /** Part of a start that may fail without consequences. */
  @FunctionalInterface
  interface Work {
    void run() throws IOException;
  }

  /** Refuses all lines of the log: those of the warm-up's gateway would be taken for real ones. */
  private static final class Silence extends TurboFilter {
    @Override
    public FilterReply decide(
        @Nullable Marker marker,
        Logger logger,
        Level level,
        @Nullable String format,
        Object @Nullable [] parameters,
        @Nullable Throwable thrown) {
      return FilterReply.DENY;
    }
  }

  /**
   * Starts a gateway, sends it requests for at most two seconds, and closes it.
   *
   * @return the number of answers
   * @throws IOException if a request fails
   */
  static int run(Ticker ticker) throws IOException {
    WarmUp warmUp = new WarmUp(KeySecrets.make(), ticker);
    try (ConfigurableApplicationContext context = GatewayServer.alone(warmUp.setup(), PROPERTIES)) {
      String port = context.getEnvironment().getRequiredProperty("local.server.port");
      return warmUp.send(URI.create("http://127.0.0.1:" + port + "/warm-up/v1/chat/completions"));
    }
  }

  private StartSetup setup() {
    RouteFiles files = new RouteFiles(Map.of(), MockAddress::parse);
    Path nowhere = Path.of("warm-up.yaml");
    byte[] routes = routes(KeySecrets.sha256(secret)).getBytes(StandardCharsets.UTF_8);
    return switch (files.load(nowhere.toString(), routes)) {
      case LoadedConfiguration.Bad bad -> throw new IllegalStateException(bad.faults().toString());
      case LoadedConfiguration.Good(ConfigurationSnapshot snapshot) ->
          new StartSetup(
              files, nowhere, FilesFingerprint.of(nowhere), snapshot, GatewayServer.MINUTE, null);
    };
  }

  /**
   * Returns the configuration of the warm-up's gateway. Its rate makes each request wait for a
   * moment, so that it is parked and released.
   */
  private static String routes(String hash) {
    return """
    keys:
      - {name: warm-up, sha256: %s, tpm: 100000000}
    endpoints:
      - path: /warm-up
        dialect: openai
        algorithm: strict
        rate: 1000
        upstreams:
          - {id: warm-up, url: "mock://openai?tokens=20", rpm: 1000000, tpm: 100000000}
    """
        .formatted(hash);
  }

  private static String body(boolean stream) {
    return """
    {"model":"gpt-4o-mini","max_tokens":20,"stream":%b,\
    "messages":[{"role":"user","content":"Hello there"}]}\
    """
        .formatted(stream);
  }

  private int send(URI uri) throws IOException {
    long end = ticker.nanos() + MOST_NANOS;
    int sent = 0;
    while (sent < LEAST_REQUESTS || (sent < MOST_REQUESTS && ticker.nanos() < end)) {
      ask(uri, body(sent % 2 == 1));
      sent++;
    }
    return sent;
  }

  private void ask(URI uri, String body) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection(Proxy.NO_PROXY);
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    connection.setRequestProperty("Authorization", "Bearer " + secret);
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setDoOutput(true);
    try (OutputStream request = connection.getOutputStream()) {
      request.write(body.getBytes(StandardCharsets.UTF_8));
    }
    if (connection.getResponseCode() != OK) {
      throw new IOException("the answer has status " + connection.getResponseCode());
    }
    try (InputStream answer = connection.getInputStream()) {
      answer.transferTo(OutputStream.nullOutputStream());
    }
  }
}
