package io.penstock.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Sends load to one peer at a time, from a process of its own: wrk where it is installed, else a
 * small client that does the same. All peers of a run are sent it by the same program.
 */
final class Load {
  /** Who every request says it is from. */
  static final String SECRET = "load-test-secret";

  private static final String CREDENTIAL = "Authorization: Bearer ";
  private static final String TYPE = "Content-Type: application/json\r\n";

  /** About 1 KiB, and what the upstream says it used. */
  static final String BODY =
      "{\"model\":\"gpt-4o-mini\",\"max_tokens\":100,\"messages\":[{\"role\":\"system\",\"content\":\"You"
          + " answer briefly.\"},{\"role\":\"user\",\"content\":\""
          + "Why does the water stand still above the mill and run below it? ".repeat(14).strip()
          + "\"}]}";

  /** About 40 KiB: instructions, and a conversation of 40 turns. */
  static final String LONG_BODY =
      "{\"model\":\"gpt-4o-mini\",\"max_tokens\":100,\"messages\":[{\"role\":\"system\",\"content\":\""
          + "You know mills and say so. ".repeat(300)
          + "\"}"
          + turns(40)
          + "]}";

  private static final Duration SLACK = Duration.ofSeconds(20);
  private static final int WARMUP_MILLIS = 500;

  /**
   * What one stretch of load came to.
   *
   * @param requests answers per second
   * @param failures answers other than 200, and connections that broke
   * @param p50Micros the median of the time an answer took
   * @param p99Micros the 99th percentile of it
   */
  record Stretch(double requests, long failures, double p50Micros, double p99Micros) {}

  private final Path directory;
  private final Path script;
  private final Optional<Path> wrk;
  private final int connections;
  private final String body;

  private static String turns(int count) {
    StringBuilder turns = new StringBuilder();
    for (int i = 0; i < count; i++) {
      turns
          .append(",{\"role\":\"")
          .append(i % 2 == 0 ? "user" : "assistant")
          .append("\",\"content\":\"Turn ")
          .append(i)
          .append(": ")
          .append("The water stands still above the mill\\n and runs below it. ".repeat(13))
          .append("\"}");
    }
    return turns.toString();
  }

  private Load(Path directory, Path script, Optional<Path> wrk, int connections, String body) {
    this.directory = directory;
    this.script = script;
    this.wrk = wrk;
    this.connections = connections;
    this.body = body;
  }

  /**
   * Chooses the program.
   *
   * @param by {@code wrk}, {@code own}, or {@code auto} for the first there is
   */
  static Load by(String by, Path directory, Path script, int connections) {
    Optional<Path> wrk = by.equals("own") ? Optional.empty() : Machine.program("wrk");
    if (by.equals("wrk") && wrk.isEmpty()) {
      throw new IllegalArgumentException("load is 'wrk', which is not installed");
    }
    return new Load(directory, script, wrk, connections, BODY);
  }

  /** Returns one that sends another body to all. */
  Load sending(String other) {
    return new Load(directory, script, wrk, connections, other);
  }

  /** Returns the program, for tables. */
  String program() {
    return wrk.isPresent() ? "wrk" : "its own client";
  }

  /**
   * Returns the headers of a request to a peer, each line ended by CR LF; it may have a credential
   * of its own.
   */
  static String headers(Peer peer) {
    boolean own = peer.headers().contains(CREDENTIAL);
    return (own ? "" : CREDENTIAL + SECRET + "\r\n") + TYPE + peer.headers();
  }

  /** Loads a peer for so long. */
  Stretch measure(Peer peer, Duration length) throws IOException, InterruptedException {
    return measure(peer, length, 0);
  }

  /**
   * Loads a peer for so long with requests in which {@link Draw#NUMBER} is drawn anew each time; 0
   * to leave it as it is. Only the small client can.
   */
  Stretch measure(Peer peer, Duration length, int numbers)
      throws IOException, InterruptedException {
    Path request = directory.resolve(peer.name() + ".request");
    List<String> command;
    if (wrk.isPresent()) {
      Files.writeString(request, headers(peer) + "\r\n" + body, StandardCharsets.UTF_8);
      command = wrkCommand(wrk.get(), peer, request, length);
    } else {
      Files.write(request, LoadClient.http(peer.path(), headers(peer), body));
      command = ownCommand(peer, request, length);
      command.add("--draw=" + numbers);
    }
    try (Child child = Child.start("load", directory, command)) {
      return parse(child.await(length.plus(SLACK)));
    }
  }

  private List<String> wrkCommand(Path program, Peer peer, Path request, Duration length) {
    return List.of(
        program.toString(),
        "-t1",
        "-c" + connections,
        "-d" + length.toSeconds() + "s",
        "--timeout",
        "10s",
        "-s",
        script.toString(),
        "http://127.0.0.1:" + peer.port() + peer.path(),
        "--",
        request.toString());
  }

  private List<String> ownCommand(Peer peer, Path request, Duration length) {
    // compiled once and soon: a stretch is short
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(LoadClient.class.getName());
    command.add("--request=" + request);
    command.add("--port=" + peer.port());
    command.add("--connections=" + connections);
    command.add("--warmup-ms=" + WARMUP_MILLIS);
    command.add("--ms=" + length.toMillis());
    return command;
  }

  /** Reads the line that either program ends with. */
  static Stretch parse(String said) throws IOException {
    String[] lines = said.strip().split("\n", -1);
    String[] values = lines[lines.length - 1].strip().split(" ", -1);
    if (!lines[lines.length - 1].strip().matches("\\d+( \\d+){4}")) {
      throw new IOException("load said '" + said.strip() + "', expected five numbers at its end");
    }
    double seconds = Long.parseLong(values[2]) / 1e9;
    return new Stretch(
        Long.parseLong(values[0]) / seconds,
        Long.parseLong(values[1]),
        Double.parseDouble(values[3]),
        Double.parseDouble(values[4]));
  }
}
