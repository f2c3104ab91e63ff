package io.penstock.clients;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.clients.ClientProcess.Ended;
import io.penstock.fake.PatientWaits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The scripts of {@code src/test/node} and the packages that they need, run by the Node of this
 * machine.
 */
final class NodeScripts {
  private static final Path SOURCE = Path.of("src", "test", "node");
  private static final Path HOME = Path.of("target", "node");

  private static final Pattern VERSION = Pattern.compile("v(\\d+)\\.(\\d+)\\..*");
  private static final int MAJOR = 20;
  private static final int MINOR = 15;

  /** Error of npm where there is no registry; any other error is a fault of the project. */
  private static final Pattern NO_REGISTRY =
      Pattern.compile(
          "npm (?:error|ERR!) code (?:E40[137]|E5\\d\\d|ENOTFOUND|EAI_AGAIN|ECONN\\w+|ETIMEDOUT"
              + "|ERR_SOCKET_TIMEOUT|ENETUNREACH|EHOSTUNREACH|\\w*CERT\\w*)");

  private NodeScripts() {}

  /**
   * Installs the packages in {@code target}, unless they are there. Where Node or the npm registry
   * is missing, prints so and skips the tests.
   */
  static NodeScripts installed() throws IOException {
    Files.createDirectories(HOME);
    try (var files = Files.list(SOURCE)) {
      for (Path file : files.toList()) {
        Files.copy(
            file, HOME.resolve(SOURCE.relativize(file)), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    install(HOME);
    return new NodeScripts();
  }

  /**
   * Installs what the {@code package.json} of a directory names, unless it is there. Skips as
   * {@link #installed} does.
   */
  static void install(Path home) throws IOException {
    Ended version =
        ClientProcess.run(home, Duration.ofMinutes(15), List.of("node", "--version")).orElse(null);
    if (version == null) {
      throw skipped("Node is not installed");
    }
    Matcher matcher = VERSION.matcher(version.text());
    if (!matcher.matches() || !newEnough(matcher)) {
      throw skipped("Node is " + version.text() + ", needed is " + MAJOR + "." + MINOR);
    }
    String wanted = Files.readString(home.resolve("package.json"), UTF_8);
    new CachedInstallation(home, "installed.json").ensure(wanted, () -> npmInstall(home));
  }

  private static boolean newEnough(Matcher version) {
    int major = Integer.parseInt(version.group(1));
    return major > MAJOR || (major == MAJOR && Integer.parseInt(version.group(2)) >= MINOR);
  }

  private static void npmInstall(Path home) {
    List<String> command =
        List.of(
            "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock");
    Ended npm = ClientProcess.run(home, Duration.ofMinutes(15), command).orElse(null);
    if (npm == null) {
      throw skipped("npm is not installed");
    }
    if (npm.late() || NO_REGISTRY.matcher(npm.text()).find()) {
      throw skipped("npm did not get the packages: " + npm.text());
    }
    if (npm.status() != 0) {
      throw new AssertionError("npm install failed: " + npm.text());
    }
  }

  private static RuntimeException skipped(String reason) {
    return ClientProcess.skipped("Node", reason);
  }

  /** Runs cases of a library against a gateway, all at once; returns the outcome of each. */
  List<CaseOutcome> run(String library, String gatewayUrl, List<String> cases) {
    List<String> command = List.of("node", "run.mjs", library, gatewayUrl);
    return ClientProcess.runCases(HOME, command, cases);
  }

  /** Starts a script that serves on this machine and prints where. */
  Serving serve(String script) {
    return new Serving(script);
  }

  /** A script that serves until this is closed. */
  static final class Serving implements AutoCloseable {
    private final ClientProcess process;
    private final String url;

    private Serving(String script) {
      process = ClientProcess.start(HOME, List.of("node", script));
      url = process.url(PatientWaits.LONGEST).orElse("");
      if (url.isEmpty()) {
        close();
        throw new AssertionError(script + " did not say where it serves: " + process.lines());
      }
    }

    String url() {
      return url;
    }

    @Override
    public void close() {
      process.kill();
    }
  }
}
