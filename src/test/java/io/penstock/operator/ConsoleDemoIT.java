package io.penstock.operator;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.penstock.dispatch.TicketFate;
import io.penstock.fake.InstalledBrowser;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.TaggedTests;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that the console shows the result of the README's first steps. {@code mvn test
 * -Dtest=ConsoleDemoIT -Dpenstock.picture=src/docs/console.png} takes the picture of the page about
 * operating.
 */
@Tag(TaggedTests.FULL)
class ConsoleDemoIT {
  private static final Path COMMITTED = Path.of("src", "docs", "console.png");
  private static final int WIDE = 1280;
  private static final int HIGH = 800;
  private static final int MOST_BYTES = 200 * 1024;

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private static void ask(RunningGateway gateway, String path, String body, int times) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + path))
            .header("Content-Type", "application/json")
            .header("anthropic-version", "2023-06-01")
            .POST(BodyPublishers.ofString(body))
            .build();
    for (int each = 0; each < times; each++) {
      var _ = HTTP.sendAsync(request, BodyHandlers.discarding());
    }
  }

  private static Locator cell(Page page, String path, int column) {
    return page.locator("[data-path='" + path + "'] [role=gridcell]").nth(column - 1);
  }

  @Test
  void demo_looksAlive() throws IOException {
    String routes = Files.readString(Path.of("routes", "demo.yaml"));
    try (InstalledBrowser browser = InstalledBrowser.start();
        RunningGateway gateway = RunningGateway.start(routes)) {
      Page page = browser.page(WIDE, HIGH, false);
      page.navigate("http://127.0.0.1:" + gateway.operatorPort() + "/console");
      assertThat(page.getByText("live", new Page.GetByTextOptions().setExact(true))).isVisible();
      String chat =
          """
          {"model":"demo","max_tokens":40,"messages":[{"role":"user","content":"Hello"}]}\
          """;
      ask(gateway, "/demo/v1/chat/completions", chat, 14);
      ask(gateway, "/demo-anthropic/v1/messages", chat, 5);
      ask(
          gateway,
          "/demo-gemini/v1beta/models/demo:generateContent",
          "{\"contents\":[{\"parts\":[{\"text\":\"Hello\"}]}]}",
          3);
      gateway.await("/demo", TicketFate.SERVED, 4);
      assertThat(page.locator("header.top")).containsText("1 instance");
      assertThat(page.locator("[data-path='/demo'] .dots i")).not().hasCount(0);
      assertThat(cell(page, "/demo", 4)).containsText(" s"); // percentiles of waits
      assertThat(cell(page, "/demo", 5)).not().containsText("0 %");
      assertThat(cell(page, "/demo", 6)).hasText("upstream demo: pace of requests");
      page.locator("[data-path='/demo']").click();
      assertThat(page.locator(".holds")).containsText("the limit of requests of upstream demo");
      assertThat(page.locator(".holds"))
          .containsText(Pattern.compile("until \\d\\d:\\d\\d:\\d\\d"));
      assertThat(page.locator(".holds")).containsText("A larger burst_seconds of the upstream");
      shoot(page);
      tab(page, "Upstreams");
      assertThat(page.locator("[aria-label='Upstream demo'] table")).containsText("requests / 60");
      tab(page, "Keys");
      assertThat(page.locator("table.wide")).containsText("anonymous");
      tab(page, "Events");
      assertThat(page.locator(".events")).containsText("waited");
      assertThat(browser.complaints()).isEmpty();
    }
  }

  private static void tab(Page page, String name) {
    page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName(name)).click();
  }

  private static void shoot(Page page) throws IOException {
    String file = System.getProperty("penstock.picture", "target/console/demo.png");
    page.screenshot(new Page.ScreenshotOptions().setPath(Path.of(file)));
    for (Path each : new Path[] {Path.of(file), COMMITTED}) {
      BufferedImage image = ImageIO.read(new File(each.toString()));
      assertThat(new int[] {image.getWidth(), image.getHeight()}).containsExactly(WIDE, HIGH);
      assertThat(Files.size(each)).isLessThanOrEqualTo(MOST_BYTES);
    }
  }
}
