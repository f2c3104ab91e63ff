package io.penstock.chart;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fake.PatientWaits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/**
 * A process that sees only the files of an image, read-only except for {@code /tmp}, and runs as
 * the image's user: like a container, on the network of this machine. Needs root on Linux.
 */
final class ImageContainer implements AutoCloseable {

  /**
   * Script with the image's root in $1, the routes to mount in $2, and directory, user and group in
   * $3, $4, $5.
   */
  private static final String START =
      """
      set -e
      root=$1 routes=$2 directory=$3 user=$4 group=$5
      shift 5
      mount --bind "$root" "$root"
      mount -o remount,bind,ro "$root"
      mount -t tmpfs -o mode=1777 none "$root/tmp"
      mount --rbind /proc "$root/proc"
      mount --rbind /dev "$root/dev"
      mount --bind -o ro "$routes" "$root/etc/penstock/routes"
      exec unshare --root "$root" --wd "$directory" --setgid "$group" --setuid "$user" -- "$@"
      """;

  private final Queue<String> log = new ConcurrentLinkedQueue<>();
  private final Process process;
  private final Thread reader;

  /**
   * Runs the image.
   *
   * @param routes mounted in place of its route files
   * @param variables environment variables in addition to those of the image
   */
  ImageContainer(ImageTar image, Path routes, Map<String, String> variables, String... arguments)
      throws IOException {
    String[] user = image.config().path("User").asText().split(":", -1);
    List<String> command = new ArrayList<>(List.of("unshare", "--mount", "sh", "-c", START, "sh"));
    command.add(image.root().toString());
    command.add(routes.toString());
    command.add(image.config().path("WorkingDir").asText());
    command.addAll(List.of(user));
    command.addAll(image.entrypoint());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.clear();
    // the script's own commands are found through the PATH set here, too
    for (JsonNode each : image.config().path("Env")) {
      String[] pair = each.asText().split("=", 2);
      environment.put(pair[0], pair[1]);
    }
    environment.put("PATH", environment.get("PATH") + ":/usr/sbin:/sbin");
    environment.putAll(variables);
    process = builder.start();
    reader = Thread.ofVirtual().start(() -> process.inputReader(UTF_8).lines().forEach(log::add));
  }

  /** Returns whether this user can run containers on this machine. */
  static boolean possible() {
    try {
      Process process =
          new ProcessBuilder("unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return PatientWaits.end(process) == 0;
    } catch (IOException none) {
      return false;
    }
  }

  boolean runs() {
    return process.isAlive();
  }

  String log() {
    return String.join("\n", log);
  }

  /** Returns the image's user and group. */
  List<String> user() throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
        .filter(line -> line.startsWith("Uid:") || line.startsWith("Gid:"))
        .map(line -> line.split("\\s+", -1)[1])
        .collect(Collectors.toList());
  }

  /** Asks the process to terminate. */
  void terminate() {
    process.toHandle().destroy(); // the process itself would close its output, too
  }

  /** Waits until it has ended; returns the exit code. */
  int exitCode() {
    int code = PatientWaits.end(process, this::log);
    PatientWaits.await().until(() -> !reader.isAlive()); // the log is complete
    return code;
  }

  @Override
  public void close() {
    process.toHandle().destroyForcibly();
  }
}
