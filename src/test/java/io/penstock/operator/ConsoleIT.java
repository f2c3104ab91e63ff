package io.penstock.operator;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Dialog;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import io.penstock.config.FigureText;
import io.penstock.dispatch.TicketFate;
import io.penstock.fake.InstalledBrowser;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.TaggedTests;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the console in a real browser, against a real gateway. */
@Order(2) // takes long
@Execution(ExecutionMode.SAME_THREAD) // as the browser's driver requires it
@Tag(TaggedTests.FULL)
class ConsoleIT {
  private static final String ROUTES =
      """
      endpoints:
        - {path: /teams/search/answers, algorithm: none}
        - {path: /teams/search/embed, algorithm: none}
        - {path: /teams/support, algorithm: none, note: ask team <b>}
        - {path: /budget, algorithm: token_window, tokens_per_window: 100, window_seconds: 3600}
        - path: /mock
          dialect: openai
          upstreams: [{id: mock, url: "mock://openai", rpm_limit: 60}]
        - {path: /open, algorithm: none, dynamic: true}
      """;

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static InstalledBrowser installedBrowser;
  private RunningGateway gateway = RunningGateway.start(ROUTES);

  @BeforeAll
  static void openBrowser() {
    installedBrowser = InstalledBrowser.start();
  }

  @AfterAll
  static void closeBrowser() {
    if (installedBrowser != null) {
      installedBrowser.close();
    }
  }

  @AfterEach
  void stop() {
    installedBrowser.closePages();
    gateway.close();
  }

  private void ask(String path) {
    var _ =
        HTTP.sendAsync(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + path)).build(),
            BodyHandlers.discarding());
  }

  private Page open(int width, int height, boolean dark) {
    Page page = installedBrowser.page(width, height, dark);
    page.navigate("http://127.0.0.1:" + gateway.operatorPort() + "/console");
    return page;
  }

  private Page open() {
    Page page = open(1280, 900, false);
    assertThat(page.getByText("live", exactly())).isVisible();
    return page;
  }

  private static Page.GetByTextOptions exactly() {
    return new Page.GetByTextOptions().setExact(true);
  }

  private static Locator line(Page page, String path) {
    return page.locator("[data-path=\"" + path + "\"]");
  }

  private static void press(Page page, String button) {
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(button)).first().click();
  }

  private static void tab(Page page, String name) {
    page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName(name)).click();
  }

  @Test
  void whatHappens_isShownByItself() {
    Page page = open();
    assertThat(line(page, "/teams/search")).containsText("2");
    ask("/teams/support");
    gateway.await("/teams/support", TicketFate.SERVED, 1);
    assertThat(line(page, "/teams/support").locator("[role=gridcell]").nth(6)).hasText("1");
    tab(page, "Events");
    assertThat(page.locator(".events")).containsText("/teams/support");
    tab(page, "Upstreams");
    assertThat(page.locator(".card")).containsText("healthy");
    tab(page, "Configuration");
    assertThat(page.locator("pre.config")).containsText("tokens_per_window");
    assertThat(installedBrowser.complaints()).isEmpty();
  }

  @Test
  void ticketThatWaits_isExplained_andThrownOut() {
    ask("/budget?tokens=90");
    gateway.await("/budget", TicketFate.SERVED, 1);
    ask("/budget?tokens=50");
    gateway.await("/budget", TicketFate.WAITING, 1);
    Page page = open();
    assertThat(line(page, "/budget").locator(".dots i")).hasCount(1);
    assertThat(line(page, "/budget")).containsText("its limit");
    line(page, "/budget").click();
    page.locator(".tickets .link").click();
    assertThat(page.locator(".why")).containsText("limit");
    assertThat(page.locator(".why")).containsText("has too little room");
    page.screenshot(new Page.ScreenshotOptions().setPath(picture("explained")));
    page.onceDialog(Dialog::dismiss);
    press(page, "Throw out ticket");
    assertThat(page.locator(".tickets")).isVisible();
    page.onceDialog(Dialog::accept);
    press(page, "Throw out ticket");
    gateway.await("/budget", TicketFate.REFUSED, 1);
    assertThat(page.locator(".detail")).containsText("Nothing waits.");
    assertThat(installedBrowser.complaints()).isEmpty();
  }

  @Test
  void pausedEndpoint_holdsWhatComes_untilItGoesOn_andIsTested() {
    Page page = open();
    line(page, "/teams/support").click();
    assertThat(page.locator(".detail .note")).hasText("ask team <b>");
    press(page, "Pause");
    assertThat(line(page, "/teams/support")).containsText("paused");
    ask("/teams/support");
    gateway.await("/teams/support", TicketFate.WAITING, 1);
    assertThat(line(page, "/teams/support")).containsText("paused by an operator");
    press(page, "Resume");
    gateway.await("/teams/support", TicketFate.SERVED, 1);
    press(page, "Send a test request");
    assertThat(page.locator(".detail")).containsText("answered 200");
    assertThat(installedBrowser.complaints()).isEmpty();
  }

  @Test
  void hostileNames_areShownAsText() {
    Page page = open();
    ask("/open/%3Cimg%20src=x%20onerror=%22window.hit=1%22%3E");
    ask("/open/%E2%80%AEgnp");
    ask("/open/" + "x".repeat(3_000));
    tab(page, "Events");
    assertThat(page.locator(".events")).containsText("served");
    tab(page, "Endpoints");
    assertThat(page.locator(".grid")).containsText("/open");
    assertThat(page.evaluate("() => window.hit ?? 'not run'")).isEqualTo("not run");
    assertThat(page.locator("main img")).hasCount(0);
    assertThat((Boolean) page.evaluate("() => document.body.scrollWidth <= innerWidth")).isTrue();
    assertThat(installedBrowser.complaints()).isEmpty();
  }

  private static final List<String> HOSTILE =
      List.of("<img src=x onerror='window.hit=1'>", "\u202Egnp\u200B", "x".repeat(4_096));

  @Test
  void hostileModels_areShownAsText() {
    Page page = open();
    for (String each : HOSTILE) { // longer ones are refused
      String model = each.substring(0, Math.min(each.length(), 256));
      String body =
          "{\"model\":\"" + model + "\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}";
      var _ =
          HTTP.sendAsync(
              HttpRequest.newBuilder(
                      URI.create(
                          "http://127.0.0.1:" + gateway.port() + "/mock/v1/chat/completions"))
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofString(body))
                  .build(),
              BodyHandlers.discarding());
    }
    gateway.await("/mock", TicketFate.SERVED, HOSTILE.size());
    tab(page, "Events");
    assertHarmless(page, page.locator(".events"));
    tab(page, "Upstreams");
    assertHarmless(page, page.locator(".card"));
    assertThat(installedBrowser.complaints()).isEmpty();
  }

  /** Keys cannot get such names today, but another program could write them to the same store. */
  @Test
  void hostileKeys_areShownAsText() {
    Page page = open();
    String rows =
        HOSTILE.stream()
            .map(
                key ->
                    "{\"key\":\""
                        + key
                        + "\",\"requests\":1,\"input_tokens\":1,\"output_tokens\":1}")
            .collect(Collectors.joining(",", "[", "]"));
    page.route(
        path -> path.contains("/usage?"),
        route ->
            route.fulfill(
                new Route.FulfillOptions().setContentType("application/json").setBody(rows)));
    tab(page, "Keys");
    assertHarmless(page, page.locator("table.wide"));
    assertThat(installedBrowser.complaints()).isEmpty();
  }

  private static void assertHarmless(Page page, Locator shown) {
    assertThat(shown).containsText("<img src=x onerror");
    assertThat(shown).containsText("‹U+202E›gnp‹U+200B›");
    assertThat(shown).containsText("x".repeat(150));
    assertThat(shown).not().containsText("x".repeat(200));
    assertThat(page.evaluate("() => window.hit ?? 'not run'")).isEqualTo("not run");
    assertThat(page.locator("main img")).hasCount(0);
    assertThat((Boolean) page.evaluate("() => document.body.scrollWidth <= innerWidth")).isTrue();
  }

  @Test
  void figures_areThoseOfTheTerminal() {
    Page page = open();
    for (long figure = 0; figure < 1e15; figure = figure * 17 / 13 + 1) {
      String script =
          "async of => { const words = await import('/console/words.js');"
              + " return [words.short(of), words.time(of), words.percent(of / 1000)].join(' '); }";
      assertThat(page.evaluate(script, (double) figure))
          .isEqualTo(
              FigureText.count(figure)
                  + " "
                  + FigureText.time(figure)
                  + " "
                  + FigureText.percent((double) figure / 1000));
    }
  }

  @Test
  void keyboard_isEnough() {
    Page page = open();
    page.keyboard().press("/");
    page.keyboard().type("support");
    assertThat(page.locator(".line")).hasCount(1);
    page.keyboard().press("Tab");
    page.keyboard().press("Enter");
    assertThat(page.locator(".detail h2")).hasText("/teams/support");
    page.keyboard().press("Escape");
    assertThat(page.locator(".detail")).hasCount(0);
    page.locator("[role=tab][aria-selected=true]").focus();
    page.keyboard().press("ArrowRight");
    assertThat(page.locator("[role=tab][aria-selected=true]")).hasText("Upstreams");
  }

  @Test
  void arrows_goThroughTheTree() {
    Page page = open();
    line(page, "/budget").focus();
    page.keyboard().press("End");
    page.keyboard().press("ArrowUp");
    page.keyboard().press("ArrowLeft");
    page.keyboard().press("ArrowLeft");
    assertThat(line(page, "/teams/search").or(line(page, "/teams"))).not().hasCount(0);
    assertThat((Boolean) page.evaluate("() => document.activeElement.matches('.line')")).isTrue();
  }

  @Test
  void ofManyLines_thoseSeenAreDrawn() {
    StringBuilder many = new StringBuilder("endpoints:\n");
    for (int each = 100; each < 400; each++) {
      many.append("  - {path: /many/e%d, algorithm: none}\n".formatted(each));
    }
    gateway.close();
    gateway = RunningGateway.start(many.toString());
    Page page = open();
    page.locator("#filter").fill("many");
    assertThat(line(page, "/many/e100")).isVisible();
    assertThat(line(page, "/many/e250")).hasCount(0);
    assertThat(page.locator("[role=treegrid]")).hasAttribute("aria-rowcount", "302");
    page.mouse().move(400, 500);
    page.mouse().wheel(0, 1e6);
    assertThat(line(page, "/many/e399")).isVisible();
    assertThat(line(page, "/many/e399")).hasAttribute("aria-rowindex", "302");
    assertThat(line(page, "/many/e100")).hasCount(0);
    line(page, "/many/e399").focus();
    page.keyboard().press("Home");
    page.keyboard().press("ArrowDown");
    assertThat(line(page, "/many/e100")).isFocused();
    page.keyboard().press("End");
    assertThat(line(page, "/many/e399")).isFocused();
    assertThat(installedBrowser.complaints()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void page_isForEveryone(boolean dark) {
    ask("/budget?tokens=90");
    ask("/budget?tokens=50");
    gateway.await("/budget", TicketFate.WAITING, 1);
    Page page = open(1280, 900, dark);
    line(page, "/budget").click();
    assertThat(page.locator(".tickets tbody tr")).hasCount(1);
    page.screenshot(new Page.ScreenshotOptions().setPath(picture(dark ? "dark" : "light")));
    assertThat(faults(page)).isEmpty();
    for (String each : List.of("Upstreams", "Keys", "Events", "Configuration")) {
      tab(page, each);
      assertThat(faults(page)).as(each).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"1280, false", "1280, true", "400, false", "400, true"})
  void budgets_areShown_leastLeftFirst(int width, boolean dark) {
    Page page = open(width, 800, dark);
    page.route(
        path -> path.endsWith("/keys?use"),
        route ->
            route.fulfill(
                new Route.FulfillOptions()
                    .setContentType("application/json")
                    .setBody(
                        """
                        [{"name": "alice", "last_used_at": "2026-11-22T15:44:35Z", "limits": [
                          {"owner": "key alice", "reason": "key_rpm", "allows": "9 requests a minute",
                           "limit": 9, "used": 1, "left": 8, "resets_at": null},
                          {"owner": "key alice", "reason": "key_budget", "allows": "200 tokens a day",
                           "limit": 200, "used": 50, "left": 150, "resets_at": null},
                          {"owner": "group team", "reason": "group_budget",
                           "allows": "100 tokens a day", "limit": 100, "used": 100, "left": 0,
                           "resets_at": "2026-11-23T00:00:00Z"}],
                          "refused_last_hour": {"key_rpm": 1, "group_budget": 12}}]
                        """)));
    tab(page, "Keys");
    Locator rows = page.locator("table.wide tbody tr");
    assertThat(rows.first()).containsText("group team");
    assertThat(rows.first()).containsText("100 tokens a day");
    assertThat(rows.nth(1)).containsText("key alice");
    assertThat(rows.nth(1)).containsText("12 group_budget, 1 key_rpm");
    assertThat(page.locator("table.wide")).not().containsText("9 requests");
    assertThat((Boolean) page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))
        .isTrue();
    page.screenshot(
        new Page.ScreenshotOptions()
            .setPath(picture("budgets-" + width + (dark ? "-dark" : "-light"))));
    assertThat(faults(page)).isEmpty();
  }

  private static List<String> faults(Page page) {
    return new AxeBuilder(page)
        .analyze().getViolations().stream()
            .filter(rule -> List.of("serious", "critical").contains(rule.getImpact()))
            .map(rule -> rule.getId() + ": " + rule.getNodes().getFirst().getHtml())
            .toList();
  }

  @Test
  void phone_needsNoScrollingSideways() {
    ask("/budget?tokens=90");
    ask("/budget?tokens=50");
    gateway.await("/budget", TicketFate.WAITING, 1);
    Page page = open(390, 844, true);
    assertThat(line(page, "/budget")).isVisible();
    assertThat((Boolean) page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))
        .isTrue();
    page.screenshot(new Page.ScreenshotOptions().setPath(picture("phone")));
    line(page, "/budget").click();
    assertThat(page.locator(".detail h2")).hasText("/budget");
    assertThat((Boolean) page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))
        .isTrue();
  }

  @Test
  void withAToken_nothingIsShownBeforeIt() {
    gateway.close();
    gateway = RunningGateway.start(ROUTES, "--penstock.operator.token=right-one");
    Page page = open(1280, 900, false);
    assertThat(page.locator(".login")).isVisible();
    assertThat(page.content()).doesNotContain("/budget");
    page.getByLabel("Operator token").fill("wrong-one");
    press(page, "Open the console");
    assertThat(page.locator(".login")).containsText("not the operator token");
    assertThat(page.content()).doesNotContain("/budget");
    page.getByLabel("Operator token").fill("right-one");
    press(page, "Open the console");
    assertThat(line(page, "/budget")).isVisible();
    press(page, "Leave");
    assertThat(page.locator(".login")).isVisible();
    assertThat(page.content()).doesNotContain("/budget");
  }

  @Test
  void gatewayThatComesBack_isFoundAgain_andNotLost() {
    gateway.close();
    String port = "--management.server.port=" + RunningGateway.freePort();
    gateway = RunningGateway.start(ROUTES, port);
    Page page = installedBrowser.page(1280, 900, false);
    page.clock().install();
    page.navigate("http://127.0.0.1:" + gateway.operatorPort() + "/console");
    assertThat(page.getByText("live", exactly())).isVisible();
    List<String> failed = new ArrayList<>();
    page.onRequestFailed(request -> failed.add(request.url()));
    gateway.close();
    assertThat(page.getByText("not connected")).isVisible();
    page.waitForCondition(() -> failed.size() >= 6); // the open requests and the retries that fail
    Set<String> open = new HashSet<>(failed);
    Set<String> answered = new HashSet<>();
    page.onResponse(response -> answered.add(response.url()));
    gateway = RunningGateway.start(ROUTES, port);
    assertThat(page.getByText("live", exactly())).isVisible();
    // a retry that is still running has had time to end, too
    page.waitForCondition(() -> answered.containsAll(open));
    failed.clear();
    page.clock().fastForward(10_000); // requests left over from those retries have had time to end
    ask("/teams/support");
    assertThat(line(page, "/teams/support").locator("[role=gridcell]").nth(6)).hasText("1");
    assertThat(failed).isEmpty();
  }

  private static Path picture(String name) {
    return Path.of("target", "console", name + ".png");
  }
}
