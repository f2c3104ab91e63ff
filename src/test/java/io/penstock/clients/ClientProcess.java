package io.penstock.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import tools.jackson.databind.json.JsonMapper;

/** A process that installs or runs the providers' own clients, and its output so far. */
final class ClientProcess {
  /**
   * A process that has ended.
   *
   * @param status its exit status
   * @param late whether it was killed because it ran for too long
   * @param lines its output and errors
   */
  record Ended(int status, boolean late, List<String> lines) {
    String text() {
      return String.join("\n", lines);
    }
  }

  /** Settings for such clients that this machine may have, which are not passed to these. */
  private static final Pattern CLIENT_SETTING =
      Pattern.compile("(?:AIMOCK|ANTHROPIC|GEMINI|GOOGLE|OPENAI)_.*");

  private static final String URL_START = "http://127.0.0.1:";
  private static final Duration CASES_LIMIT = Duration.ofMinutes(15);

  private final Queue<String> lines = new ConcurrentLinkedQueue<>();
  private final CompletableFuture<String> url = new CompletableFuture<>();
  private final Process process;
  private final CompletableFuture<Integer> status;
  private final Thread reader;

  private ClientProcess(Process process) {
    this.process = process;
    this.status = process.onExit().thenApply(Process::exitValue);
    this.reader = Thread.ofVirtual().start(this::read);
  }

  /** Starts a program in a directory, and fails if there is no such program. */
  static ClientProcess start(Path directory, List<String> command) {
    ProcessBuilder builder = builder(directory, command);
    builder.environment().keySet().removeIf(name -> CLIENT_SETTING.matcher(name).matches());
    return start(builder);
  }

  /** Starts a program with these variables of its environment and no others, and without input. */
  static ClientProcess start(
      Path directory, Map<String, String> environment, List<String> command) {
    ProcessBuilder builder = builder(directory, command);
    builder.environment().clear();
    builder.environment().putAll(environment);
    ClientProcess started = start(builder);
    started.endInput();
    return started;
  }

  private static ProcessBuilder builder(Path directory, List<String> command) {
    return new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
  }

  private static ClientProcess start(ProcessBuilder builder) {
    try {
      return new ClientProcess(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs a program to its end, within a limit of time; empty when there is no such program. */
  static Optional<Ended> run(Path directory, Duration limit, List<String> command) {
    ClientProcess started;
    try {
      started = start(directory, command);
    } catch (UncheckedIOException missing) {
      return Optional.empty();
    }
    boolean late =
        !started
            .process
            .onExit()
            .thenApply(_ -> true)
            .completeOnTimeout(false, limit.toMillis(), MILLISECONDS)
            .join();
    started.kill();
    int status = started.process.onExit().join().exitValue();
    return Optional.of(new Ended(status, late, started.lines()));
  }

  /**
   * Runs a script that takes cases as its last arguments and prints a line of JSON for each;
   * returns the outcomes in the order of the cases.
   */
  static List<CaseOutcome> runCases(Path directory, List<String> script, List<String> cases) {
    List<String> command = new ArrayList<>(script);
    command.addAll(cases);
    Ended ended = run(directory, CASES_LIMIT, command).orElseThrow();
    if (ended.status() != 0) {
      String how = ended.late() ? " was killed after " + CASES_LIMIT : " ended";
      throw new AssertionError(command + how + " with " + ended.status() + ": " + ended.text());
    }
    List<CaseOutcome> outcomes = new ArrayList<>();
    for (String line : ended.lines()) {
      if (line.startsWith("{\"name\":")) {
        outcomes.add(JsonMapper.shared().readValue(line, CaseOutcome.class));
      }
    }
    outcomes.sort(Comparator.comparingInt(outcome -> cases.indexOf(outcome.name())));
    if (!outcomes.stream().map(CaseOutcome::name).toList().equals(cases)) {
      throw new AssertionError(command + " did not tell each case once: " + ended.text());
    }
    return outcomes;
  }

  /** Prints why the tests with the clients for a language are skipped, and skips them. */
  static RuntimeException skipped(String language, String reason) {
    System.out.println(
        "The tests with the providers' clients for " + language + " are skipped: " + reason);
    return Assumptions.abort(reason);
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

  /** Waits for a line that tells where the program serves; empty when none came in time. */
  Optional<String> url(Duration limit) {
    String line = url.completeOnTimeout("", limit.toMillis(), MILLISECONDS).join();
    return Optional.of(line).filter(printed -> !printed.isEmpty());
  }

  List<String> lines() {
    return List.copyOf(lines);
  }

  /** Ends its input, because some programs wait for that. */
  private void endInput() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Completes with the exit status once the program has ended. */
  CompletableFuture<Integer> status() {
    return status; // that of a new onExit() is done only some time later
  }

  /**
   * Kills the process and its children, if it still runs, and waits until all its output is read.
   */
  void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.toHandle().destroyForcibly(); // Process.destroyForcibly would close its output too
    awaitOutput();
  }

  /** Waits until all output of a process that has ended is read. */
  void awaitOutput() {
    try {
      reader.join(10_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
