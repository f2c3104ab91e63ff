package io.penstock.bench;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.penstock.fake.GatewayFleet;
import io.penstock.fake.InstalledBrowser;
import io.penstock.fake.RunningGateway;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Measures what the console costs the browser, and the gateway in a process of its own: 1,000
 * endpoints at which 10,000 requests wait.
 */
@Isolated("measures")
@Timeout(600)
class ConsoleFigures {
  private static final double SECOND = 1e9;
  private static final int TEAMS = 20;
  private static final int EACH = 50;
  private static final int WAIT = 10;
  private static final int EVENTS = 20;

  private static final String NOTE_TASKS =
      "() => { window.tasks = []; new PerformanceObserver(list => list.getEntries()"
          + ".forEach(each => window.tasks.push(each.duration))).observe({type: 'longtask'}); }";

  /** Records for each ticket when its first event was visible on the screen. */
  private static final String NOTE_EVENTS =
      """
      () => {
        window.shownAt = {};
        new MutationObserver(() => requestAnimationFrame(() => {
          for (const row of document.querySelectorAll('.events tbody tr')) {
            window.shownAt[row.children[3].textContent] ??= performance.timeOrigin + performance.now();
          }
        })).observe(document.getElementById('page'), {childList: true, subtree: true});
      }
      """;

  @TempDir private Path directory;

  private final FigureTable figureTable = new FigureTable();
  private final Ticker ticker = Ticker.system();
  private final List<SocketChannel> waiting = new ArrayList<>();

  private static String routes() {
    StringBuilder routes = new StringBuilder("endpoints:\n  - {path: /free, algorithm: none}\n");
    for (String path : paths()) {
      routes.append("  - {path: %s, algorithm: strict, rate: 0.0005}%n".formatted(path));
    }
    return routes.toString();
  }

  private static List<String> paths() {
    List<String> paths = new ArrayList<>();
    for (int team = 0; team < TEAMS; team++) {
      for (int each = 0; each < EACH; each++) {
        paths.add("/teams/team-%02d/endpoint-%02d".formatted(team, each));
      }
    }
    return paths;
  }

  /** Parks requests; the first one of each endpoint is released at once. */
  private void park(int port) throws IOException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    for (int each = 0; each <= WAIT; each++) {
      for (String path : paths()) {
        SocketChannel client = SocketChannel.open(address);
        client.write(
            ByteBuffer.wrap(
                "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(path).getBytes(US_ASCII)));
        if (each == 0) {
          client.read(ByteBuffer.allocate(1)); // waits for its answer
          client.close();
        } else {
          waiting.add(client);
        }
      }
    }
  }

  private void last(int seconds) {
    long until = ticker.nanos() + (long) (seconds * SECOND);
    Awaitility.await()
        .atMost(Duration.ofSeconds(seconds + 60))
        .pollInterval(Duration.ofMillis(200))
        .until(() -> ticker.nanos() >= until);
  }

  /** Returns the CPU usage of a gateway, as a fraction of one processor. */
  private double used(GatewayFleet fleet, int seconds) {
    long from = ticker.nanos();
    Duration before = fleet.ran(0);
    last(seconds);
    return fleet.ran(0).minus(before).toNanos() / (double) (ticker.nanos() - from);
  }

  @Test
  void console_costsLittle() throws Exception {
    int operatorPort = RunningGateway.freePort();
    try (InstalledBrowser installedBrowser = InstalledBrowser.start();
        GatewayFleet fleet =
            new GatewayFleet(
                directory,
                1,
                routes(),
                Duration.ofMinutes(1),
                "--management.server.port=" + operatorPort)) {
      park(fleet.port(0));
      last(5);
      double alone = used(fleet, 10);
      Page page = installedBrowser.page(1280, 900, false);
      page.navigate("http://127.0.0.1:" + operatorPort + "/console");
      assertThat(page.locator("header.top")).containsText("10 k waiting");
      paint(page);
      tree(page, fleet, alone);
      events(page, fleet.port(0));
      assertThat(installedBrowser.complaints()).isEmpty();
    } finally {
      for (SocketChannel each : waiting) {
        each.close();
      }
    }
    System.out.println("\n" + figureTable);
    assertThat(figureTable.toString()).doesNotContain("NOT MET");
  }

  private void paint(Page page) {
    double millis =
        number(page, "() => performance.getEntriesByName('first-contentful-paint')[0].startTime");
    figureTable.add("first paint, at most 1 s", millis <= 1_000, "%.0f ms".formatted(millis));
  }

  private void tree(Page page, GatewayFleet fleet, double alone) {
    page.locator("#filter").fill("endpoint");
    page.locator("[data-path='/teams/team-00/endpoint-00']").click();
    assertThat(page.locator(".tickets tbody tr")).hasCount(WAIT);
    last(60); // until frequently used code is compiled
    page.evaluate(NOTE_TASKS);
    double used = used(fleet, 10);
    double longest = number(page, "() => Math.max(0, ...window.tasks)");
    figureTable.add(
        "1,000 endpoints, 10,000 wait: no long task above 100 ms in 10 s",
        longest <= 100,
        "%.0f of 50 ms or more, the longest %.0f ms; %.0f lines"
            .formatted(
                number(page, "() => window.tasks.length"),
                longest,
                number(page, "() => document.querySelectorAll('.line').length")));
    figureTable.add(
        "  of one core in the gateway less than 5 %",
        used < 0.05, "%.1f %%, without a reader %.1f %%".formatted(100 * used, 100 * alone));
  }

  private void events(Page page, int port) throws Exception {
    page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName("Events")).click();
    page.evaluate(NOTE_EVENTS);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/free")).build();
    double latest = 0;
    try (HttpClient client = HttpClient.newHttpClient()) {
      client.send(request, BodyHandlers.discarding()); // opens the connection
      page.waitForFunction("() => Object.keys(window.shownAt).length >= 1");
      for (int each = 2; each <= EVENTS + 1; each++) {
        double sent = number(page, "() => performance.timeOrigin + performance.now()");
        client.send(request, BodyHandlers.discarding());
        page.waitForFunction("many => Object.keys(window.shownAt).length >= many", each);
        double shown = number(page, "() => Math.max(...Object.values(window.shownAt))");
        latest = Math.max(latest, shown - sent);
      }
    }
    figureTable.add(
        "an event is shown at most 300 ms after it happened",
        latest <= 300,
        "after the request at most %.0f ms, of %d".formatted(latest, EVENTS));
  }

  private static double number(Page page, String script) {
    return ((Number) page.evaluate(script)).doubleValue();
  }
}
