package io.penstock.fake;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The browser installed on this machine; records the errors of its pages. */
public final class InstalledBrowser implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

  /** Requests of the console for tickets that have gone in the meantime; their 404 is expected. */
  private static final Pattern GONE = Pattern.compile("/tickets/[^/?]+$");

  private final Playwright playwright;
  private final com.microsoft.playwright.Browser browser;
  private final List<String> complaints = new CopyOnWriteArrayList<>();

  private InstalledBrowser(Path program) {
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(program)
                    // needed by tests that run as root; the browser only sees pages of the tests
                    .setArgs(List.of("--no-sandbox")));
  }

  /** Starts a browser; without one, skips the test with a message. */
  public static InstalledBrowser start() {
    Optional<Path> program = installed();
    if (program.isEmpty()) {
      System.out.println("no Chromium or Chrome is installed: the console is not tested");
    }
    PlaywrightAssertions.setDefaultAssertionTimeout(PatientWaits.LONGEST_MILLIS);
    Assumptions.assumeTrue(program.isPresent(), "no Chromium or Chrome is installed");
    return new InstalledBrowser(program.orElseThrow());
  }

  private static Optional<Path> installed() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
        .flatMap(directory -> NAMES.stream().map(name -> Path.of(directory, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Opens a separate page, which shares no state with others. */
  public Page page(int width, int height, boolean dark) {
    BrowserContext context =
        browser.newContext(
            new com.microsoft.playwright.Browser.NewContextOptions()
                .setViewportSize(width, height)
                .setColorScheme(
                    dark
                        ? com.microsoft.playwright.options.ColorScheme.DARK
                        : com.microsoft.playwright.options.ColorScheme.LIGHT));
    Page page = context.newPage();
    page.onConsoleMessage(this::note);
    page.onPageError(complaints::add);
    page.setDefaultTimeout(PatientWaits.LONGEST_MILLIS);
    return page;
  }

  private void note(ConsoleMessage message) {
    boolean complaint = message.type().equals("error") || message.type().equals("warning");
    boolean removed = message.text().contains(" 404 ") && GONE.matcher(message.location()).find();
    if (complaint && !removed) {
      complaints.add(message.text() + " " + message.location());
    }
  }

  /** Closes all pages, and clears the complaints. */
  public void closePages() {
    List.copyOf(browser.contexts()).forEach(BrowserContext::close);
    complaints.clear();
  }

  /** Returns the complaints of pages so far: errors, and violations of their policy. */
  public List<String> complaints() {
    return List.copyOf(complaints);
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }
}
