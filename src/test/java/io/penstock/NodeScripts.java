package io.penstock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import tools.jackson.databind.json.JsonMapper;

/** The scripts of {@code src/test/node} and what they need, run by the Node of this machine. */
final class NodeScripts {
  /**
   * What became of a case.
   *
   * @param name the case, as it was asked for
   * @param ok whether it passed
   * @param detail what it saw, or why it failed
   */
  record Outcome(String name, boolean ok, String detail) {}

  private static final Path SOURCE = Path.of("src", "test", "node");
  private static final Path HOME = Path.of("target", "node");
  private static final Path INSTALLED = HOME.resolve("installed.json");

  private static final Pattern VERSION = Pattern.compile("v(\\d+)\\.(\\d+)\\..*");
  private static final int MAJOR = 20;
  private static final int MINOR = 15;

  /** What npm ends with where there is no registry; what else it says is a fault of ours. */
  private static final Pattern NO_REGISTRY =
      Pattern.compile(
          "npm (?:error|ERR!) code (?:E40[137]|E5\\d\\d|ENOTFOUND|EAI_AGAIN|ECONN\\w+|ETIMEDOUT"
              + "|ERR_SOCKET_TIMEOUT|ENETUNREACH|EHOSTUNREACH|\\w*CERT\\w*)");

  /** Settings for such clients that this machine may have are not for these. */
  private static final Pattern CLIENT_SETTING =
      Pattern.compile("(?:AIMOCK|ANTHROPIC|GEMINI|GOOGLE|OPENAI)_.*");

  private static final String URL_START = "http://127.0.0.1:";

  private NodeScripts() {}

  /**
   * Installs the packages in {@code target}, unless they are there. Where Node or the npm registry
   * is missing, prints so and skips the tests.
   */
  static NodeScripts installed() throws IOException {
    Ended version = execute(60, "node", "--version").orElse(null);
    if (version == null) {
      throw skipped("Node is not installed");
    }
    Matcher matcher = VERSION.matcher(version.text());
    if (!matcher.matches() || !newEnough(matcher)) {
      throw skipped("Node is " + version.text() + ", needed is " + MAJOR + "." + MINOR);
    }
    Files.createDirectories(HOME);
    try (var files = Files.list(SOURCE)) {
      for (Path file : files.toList()) {
        Files.copy(
            file, HOME.resolve(SOURCE.relativize(file)), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    Path wanted = HOME.resolve("package.json");
    if (!Files.exists(INSTALLED) || Files.mismatch(INSTALLED, wanted) >= 0) {
      install();
      Files.copy(wanted, INSTALLED, StandardCopyOption.REPLACE_EXISTING);
    }
    return new NodeScripts();
  }

  private static boolean newEnough(Matcher version) {
    int major = Integer.parseInt(version.group(1));
    return major > MAJOR || (major == MAJOR && Integer.parseInt(version.group(2)) >= MINOR);
  }

  private static void install() {
    Ended npm =
        execute(
                180,
                "npm",
                "install",
                "--no-audit",
                "--no-fund",
                "--ignore-scripts",
                "--no-package-lock")
            .orElse(null);
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
    System.out.println("The tests with the providers' clients for Node are skipped: " + reason);
    return Assumptions.abort(reason);
  }

  /** Runs cases of a library against a gateway, all at once; returns what became of each. */
  List<Outcome> run(String library, String gatewayUrl, List<String> cases) {
    List<String> command = new ArrayList<>(List.of("node", "run.mjs", library, gatewayUrl));
    command.addAll(cases);
    Ended ended = execute(180, command.toArray(String[]::new)).orElseThrow();
    if (ended.status() != 0) {
      throw new AssertionError(command + " ended with " + ended.status() + ": " + ended.text());
    }
    List<Outcome> outcomes = new ArrayList<>();
    for (String line : ended.lines()) {
      if (line.startsWith("{\"name\":")) {
        outcomes.add(JsonMapper.shared().readValue(line, Outcome.class));
      }
    }
    outcomes.sort(Comparator.comparingInt(outcome -> cases.indexOf(outcome.name())));
    if (!outcomes.stream().map(Outcome::name).toList().equals(cases)) {
      throw new AssertionError(command + " did not tell each case once: " + ended.text());
    }
    return outcomes;
  }

  /** Starts a script that serves on this machine and prints where. */
  Serving serve(String script) {
    return new Serving(script);
  }

  /** A script that serves until this is closed. */
  static final class Serving implements AutoCloseable {
    private final Running running;
    private final String url;

    private Serving(String script) {
      running = new Running("node", script);
      url = running.url.completeOnTimeout("", 30, SECONDS).join();
      if (url.isEmpty()) {
        close();
        throw new AssertionError(script + " did not say where it serves: " + running.lines);
      }
    }

    String url() {
      return url;
    }

    @Override
    public void close() {
      running.kill();
    }
  }

  /** A process that has ended, or was ended because it was late; its output and errors. */
  private record Ended(int status, boolean late, List<String> lines) {
    String text() {
      return String.join("\n", lines);
    }
  }

  /** Runs a program to its end, for so long at most; empty when there is no such program. */
  private static Optional<Ended> execute(int seconds, String... command) {
    Running running;
    try {
      running = new Running(command);
    } catch (UncheckedIOException missing) {
      return Optional.empty();
    }
    boolean late =
        !running
            .process
            .onExit()
            .thenApply(_ -> true)
            .completeOnTimeout(false, seconds, SECONDS)
            .join();
    running.kill();
    int status = running.process.onExit().join().exitValue();
    return Optional.of(new Ended(status, late, List.copyOf(running.lines)));
  }

  /** A process in the directory of the scripts, and what it has printed so far. */
  private static final class Running {
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<String> url = new CompletableFuture<>();
    private final Process process;
    private final Thread reader;

    Running(String... command) {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      if (Files.isDirectory(HOME)) {
        builder.directory(HOME.toFile());
      }
      builder.environment().keySet().removeIf(name -> CLIENT_SETTING.matcher(name).matches());
      try {
        process = builder.start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      reader = Thread.ofVirtual().start(this::read);
    }

    private void read() {
      process
          .inputReader(UTF_8)
          .lines()
          .forEach(
              line -> {
                lines.add(line);
                if (line.startsWith(URL_START)) {
                  url.complete(line);
                }
              });
      url.complete("");
    }

    /** Ends it and what it started, if it still runs, and waits until all it said is read. */
    void kill() {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.toHandle().destroyForcibly(); // the process itself would close its output too
      try {
        reader.join(10_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
