package io.penstock.clients;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.clients.ClientProcess.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Scripts and the packages that they need, run by the Python of this machine in a virtual
 * environment of their own.
 *
 * @param source where the scripts and the lists of packages are
 * @param home where the environment is
 */
public record PythonScripts(Path source, Path home) {

  /** Oldest minor version of Python 3 on which the required packages run. */
  private static final int MINOR = 11;

  /** Prints the version and where the interpreter is; fails where it cannot create environments. */
  private static final String INTERPRETER =
      "import sys, venv, ensurepip; print(*sys.version_info[:3], sys.base_prefix)";

  private static final Pattern VERSION = Pattern.compile("(\\d+) (\\d+) .*");

  /**
   * Output of pip where the package index is unreachable, or has nothing for this machine; any
   * other error is a fault of the requirements.
   */
  private static final Pattern NO_PACKAGES =
      Pattern.compile(
          "connection broken by|Max retries exceeded|Read timed out|HTTP error (?:40[137]|5\\d\\d)"
              + "|No matching distribution found");

  /** Installs the packages of the scripts in {@code src/test/python}, as the other does. */
  static PythonScripts installed() throws IOException {
    return installed(Path.of("src", "test", "python"), Path.of("target", "python"));
  }

  /**
   * Installs packages in {@code target}, unless they are there. Where Python or the package index
   * is missing, prints so and skips the tests; in continuous integration, packages that cannot be
   * installed are a failure.
   */
  public static PythonScripts installed(Path source, Path home) throws IOException {
    Files.createDirectories(home);
    PythonScripts scripts = new PythonScripts(source, home);
    String wanted =
        scripts.interpreter()
            + "\n"
            + Files.readString(source.resolve("requirements.txt"), UTF_8)
            + Files.readString(source.resolve("dependencies.txt"), UTF_8);
    // the mark lies in the environment, so that it goes when that is deleted
    new CachedInstallation(home, "venv/installed.txt").ensure(wanted, scripts::install);
    return scripts;
  }

  /** Returns a program of the environment. */
  public String program(String name) {
    return home.resolve("venv").resolve("bin").resolve(name).toAbsolutePath().toString();
  }

  private String interpreter() {
    List<String> command = List.of("python3", "-I", "-c", INTERPRETER);
    Ended ended = ClientProcess.run(home, Duration.ofMinutes(15), command).orElse(null);
    if (ended == null) {
      throw skipped("Python is not installed");
    }
    Matcher version = VERSION.matcher(ended.text());
    if (ended.status() != 0 || !version.matches()) {
      throw skipped("python3 has no venv, or does not run: " + ended.text());
    }
    if (Integer.parseInt(version.group(1)) != 3 || Integer.parseInt(version.group(2)) < MINOR) {
      throw skipped("Python is " + ended.text() + ", needed is 3." + MINOR);
    }
    return ended.text();
  }

  private void install() {
    List<String> make =
        List.of(
            "python3",
            "-I",
            "-m",
            "venv",
            "--clear",
            home.resolve("venv").toAbsolutePath().toString());
    Ended made = ClientProcess.run(home, Duration.ofMinutes(15), make).orElseThrow();
    if (made.status() != 0) {
      throw new AssertionError("the virtual environment was not made: " + made.text());
    }
    Ended pip =
        pip(
            "install",
            "--disable-pip-version-check",
            "--no-input",
            "--no-deps",
            "--only-binary=:all:",
            "--requirement=requirements.txt",
            "--requirement=dependencies.txt");
    if (pip.late() || pip.status() != 0) {
      String reason = "pip did not get the packages: " + pip.text();
      boolean excused = pip.late() || NO_PACKAGES.matcher(pip.text()).find();
      if (!excused || "true".equals(System.getenv("CI"))) {
        throw new AssertionError(reason);
      }
      throw skipped(reason);
    }
    Ended checked = pip("check");
    if (checked.status() != 0) {
      throw new AssertionError("the packages do not fit each other: " + checked.text());
    }
  }

  private Ended pip(String... arguments) {
    List<String> command = new ArrayList<>(List.of(program("python"), "-I", "-m", "pip"));
    command.addAll(List.of(arguments));
    return ClientProcess.run(source, Duration.ofMinutes(15), command).orElseThrow();
  }

  private static RuntimeException skipped(String reason) {
    return ClientProcess.skipped("Python", reason);
  }

  /** Runs cases against a gateway, all at once in one process; returns the outcome of each. */
  List<CaseOutcome> run(String gatewayUrl, List<String> cases) {
    return ClientProcess.runCases(
        source, List.of(program("python"), "-I", "-B", "run.py", gatewayUrl), cases);
  }
}
