package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.Penstock;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.JavaCommand;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jline.builtins.ScreenTerminal;

/**
 * The program at a terminal of its own, which {@code script} creates, and the content of its
 * screen.
 */
final class TerminalProgram implements AutoCloseable {
  private final Path directory;
  private final ScreenTerminal screen;
  private final StringBuilder written = new StringBuilder();
  private final Process process;

  /** Runs the program with {@code arguments}, at a terminal with that many columns and rows. */
  TerminalProgram(
      Path directory, int columns, int rows, Map<String, String> environment, String arguments)
      throws IOException {
    boolean present =
        List.of("/usr/bin/script", "/bin/script").stream().anyMatch(TerminalProgram::is);
    assumeThat(present).as("there is a program called script, which makes terminals").isTrue();
    this.directory = directory;
    this.screen = new ScreenTerminal(columns, rows);
    List<String> words = JavaCommand.gateway(Penstock.class, true);
    String classes = words.set(words.indexOf("-cp") + 1, "$CLASSES");
    String java = words.stream().map(word -> '"' + word + '"').collect(Collectors.joining(" "));
    String commands =
        """
        trap : INT
        tty > tty
        stty cols %d rows %d
        stty -a > before
        %s %s
        echo "EXIT=$?"
        stty cols %d rows %d
        stty -a > after
        """
            .formatted(columns, rows, java, arguments, columns, rows);
    Path file = Files.writeString(directory.resolve("commands"), commands);
    ProcessBuilder builder =
        new ProcessBuilder("script", "-qfc", "sh " + file, "/dev/null")
            .directory(directory.toFile())
            .redirectErrorStream(true);
    builder.environment().putAll(Map.of("TERM", "xterm-256color", "LC_ALL", "C.UTF-8"));
    builder.environment().put("CLASSES", classes);
    builder.environment().putAll(environment);
    process = builder.start();
    Thread.ofPlatform().daemon().start(this::read);
  }

  private static boolean is(String file) {
    return Files.isExecutable(Path.of(file));
  }

  private void read() {
    try (Reader from = new InputStreamReader(process.getInputStream(), UTF_8)) {
      char[] some = new char[8192];
      for (int length = from.read(some); length >= 0; length = from.read(some)) {
        String text = new String(some, 0, length);
        write(text);
      }
    } catch (IOException gone) {
      write(gone.toString());
    }
  }

  private synchronized void write(String text) {
    written.append(text);
    screen.write(text);
  }

  /** Returns the content of the screen. */
  String screen() {
    return screen.toString();
  }

  /** Returns everything that was ever written, byte for byte. */
  synchronized String written() {
    return written.toString();
  }

  /** Waits until the screen shows these texts. */
  void awaitScreen(String... texts) {
    RunningGateway.awaiting().untilAsserted(() -> assertThat(screen()).contains(texts));
  }

  void press(String keys) throws IOException {
    OutputStream to = process.getOutputStream();
    to.write(keys.getBytes(UTF_8));
    to.flush();
  }

  /** Changes the size of the terminal, as resizing a window does. */
  void resize(int columns, int rows) throws IOException, InterruptedException {
    screen.setSize(columns, rows); // first, as a terminal does: what the program draws then fits it
    String tty = Files.readString(directory.resolve("tty")).strip();
    Process stty =
        new ProcessBuilder("stty", "-F", tty, "cols", "" + columns, "rows", "" + rows).start();
    assertThat(stty.waitFor()).isZero();
  }

  /** Asks the program itself to end. */
  void terminate() {
    process
        .descendants()
        .filter(each -> each.info().command().orElse("").endsWith("java"))
        .forEach(ProcessHandle::destroy);
  }

  /** Waits for its end, and checks that the terminal is as it was before. */
  void assertEnds(int exit) {
    PatientWaits.end(process, this::screen);
    RunningGateway.awaiting()
        .untilAsserted(() -> assertThat(written()).contains("EXIT=" + exit + "\r\n"));
    assertThat(directory.resolve("after")).hasContent(text("before"));
    if (written().contains("\u001b[?1049h")) {
      assertThat(written()).contains("\u001b[?1049l").doesNotContain("Exception");
      String end = written().substring(written().lastIndexOf("\u001b[?25l"));
      assertThat(end).as("shows the cursor again").containsAnyOf("\u001b[?25h", "\u001b[34h");
    }
  }

  private String text(String file) {
    try {
      return Files.readString(directory.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
