package io.penstock.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the JDK's own tools say of another JVM. */
final class Jvm {
  /** The flag without which {@link #otherBytes} cannot be asked for. */
  static final String TRACKED = "-XX:NativeMemoryTracking=summary";

  private static final Pattern OTHER =
      Pattern.compile("- +Other \\(reserved=\\d+KB, committed=(\\d+)KB\\)");

  private final long pid;

  Jvm(Gateway gateway) throws IOException {
    this.pid = gateway.child().program().pid();
  }

  /** Collects all garbage, and returns when that is done. */
  void collect() throws IOException, InterruptedException {
    // what the first one finds unreachable the second one finds gone
    ask("GC.run");
    ask("GC.run");
  }

  /**
   * Returns the bytes of memory outside the heap that the program itself asked for: buffers,
   * however they were made. Pooled ones count as long as they are in the pool.
   */
  long otherBytes() throws IOException, InterruptedException {
    return otherBytes(ask("VM.native_memory", "summary", "scale=KB"));
  }

  static long otherBytes(String said) throws IOException {
    Matcher other = OTHER.matcher(said);
    if (!other.find()) {
      throw new IOException("no line 'Other' in: " + said.strip());
    }
    return 1024 * Long.parseLong(other.group(1));
  }

  private String ask(String... question) throws IOException, InterruptedException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    List<String> command = new ArrayList<>(List.of(jcmd.toString(), String.valueOf(pid)));
    command.addAll(List.of(question));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + " said: " + said.strip());
    }
    return said;
  }
}
