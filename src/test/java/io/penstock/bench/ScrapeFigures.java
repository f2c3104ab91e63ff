package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.GatewayServer;
import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.fake.MetricsScrape;
import io.penstock.fake.RunningGateway;
import io.penstock.key.KeySecrets;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.context.ConfigurableApplicationContext;

/** Measures the size and duration of a scrape of a gateway with many endpoints, keys and models. */
@Isolated("measures")
class ScrapeFigures {
  private static final int ENDPOINTS = 1_000;
  private static final int KEYS = 10_000;
  private static final int FILES = 10;
  private static final int SCRAPES = 40;
  private static final String BODY =
      "{\"model\":\"gpt-4o-mini\",\"max_tokens\":9,"
          + "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";

  @TempDir private Path directory;

  private final Ticker ticker = Ticker.system();
  private final FigureTable figureTable = new FigureTable();
  private final List<String> secrets = Stream.generate(KeySecrets::make).limit(KEYS).toList();
  private final List<Socket> waiting = new ArrayList<>();

  /** Writes the routes in several files, because a route file is limited to 1 MiB. */
  private void write() throws IOException {
    for (int file = 0; file < FILES; file++) {
      StringBuilder keys = new StringBuilder("keys:\n");
      StringBuilder endpoints = new StringBuilder("endpoints:\n");
      for (int i = file; i < KEYS; i += FILES) {
        String hash = KeySecrets.sha256(secrets.get(i));
        keys.append("  - {name: key-%d, sha256: %s}\n".formatted(i, hash));
      }
      for (int i = file; i < ENDPOINTS; i += FILES) {
        endpoints.append(
            "  - {path: /team-%d, dialect: openai, algorithm: strict, rate: 0.2, unit: rpm,"
                    .formatted(i)
                + " max_queue_size: 1, upstreams: [{id: up-%d, url: \"mock://openai?tokens=4\"}]}\n"
                    .formatted(i % 10));
      }
      Files.writeString(directory.resolve(file + ".yaml"), keys.append(endpoints));
    }
  }

  private static Socket ask(int port, int endpoint, String secret) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    String head =
        "POST /team-%d/v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n"
            .formatted(endpoint, secret);
    String rest =
        "Content-Length: %d\r\nConnection: close\r\n\r\n%s".formatted(BODY.length(), BODY);
    socket.getOutputStream().write((head + rest).getBytes(StandardCharsets.UTF_8));
    return socket;
  }

  private static void answered(int port, int endpoint, String secret) throws IOException {
    try (Socket socket = ask(port, endpoint, secret)) {
      assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
    }
  }

  /** Makes each endpoint serve one request, park one and refuse eight, each of a key of its own. */
  private void use(int port, EndpointRegistry registry) throws IOException {
    for (int each = 0; each < ENDPOINTS; each++) {
      answered(port, each, secrets.get(each));
    }
    for (int each = 0; each < ENDPOINTS; each++) {
      waiting.add(ask(port, each, secrets.get(ENDPOINTS + each)));
    }
    RunningGateway.awaiting()
        .until(
            () ->
                registry.all().stream()
                    .allMatch(each -> each.totals().requests(TicketFate.WAITING) == 1));
    for (int each = 2 * ENDPOINTS; each < KEYS; each++) {
      answered(port, each % ENDPOINTS, secrets.get(each));
    }
  }

  private static int port(ConfigurableApplicationContext context, String name) {
    return context.getEnvironment().getRequiredProperty(name, Integer.class);
  }

  private void measure(int operatorPort) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + operatorPort + "/actuator/prometheus");
    List<Long> nanos = new ArrayList<>();
    String text = "";
    try (HttpClient client = HttpClient.newHttpClient()) {
      for (int each = 0; each < SCRAPES; each++) {
        long before = ticker.nanos();
        text =
            client
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
        nanos.add(ticker.nanos() - before);
      }
    }
    List<Long> warm = new ArrayList<>(nanos.subList(SCRAPES / 2, SCRAPES));
    Collections.sort(warm);
    double median = warm.get(warm.size() / 2) / 1e6;
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    MetricsScrape metricsScrape = MetricsScrape.parse(text);
    figureTable.add(
        "scrape of 1,000 endpoints, 10,000 keys: at most 2 MiB",
        bytes <= 2 << 20,
        "%,d bytes, %,d lines".formatted(bytes, metricsScrape.samples().size()));
    figureTable.add(
        "  in at most 100 ms",
        median <= 100,
        "%.0f ms, at most %.0f, the first %.0f"
            .formatted(median, warm.getLast() / 1e6, nanos.getFirst() / 1e6));
    int counted = metricsScrape.values("penstock_tickets_total", "endpoint").size();
    int waited = metricsScrape.values("penstock_wait_seconds_count", "endpoint").size();
    figureTable.add(
        "  endpoints with counters of their own: 1,000",
        counted >= ENDPOINTS,
        "%d, with waits of their own %d".formatted(counted, waited));
  }

  @Test
  @Timeout(300)
  void scrapeOfMuch_isSmallAndQuick() throws Exception {
    write();
    GatewayServer.Start start =
        GatewayServer.start(
            Map.of(),
            directory,
            "--server.port=0",
            "--management.server.port=" + RunningGateway.freePort());
    if (!(start instanceof GatewayServer.Started(ConfigurableApplicationContext context))) {
      throw new AssertionError("did not start: " + start);
    }
    try (context) {
      use(port(context, "local.server.port"), context.getBean(EndpointRegistry.class));
      measure(port(context, "local.management.port"));
    } finally {
      for (Socket socket : waiting) {
        socket.close();
      }
    }
    System.out.println(figureTable);
    assertThat(figureTable.toString()).doesNotContain("NOT MET");
  }
}
