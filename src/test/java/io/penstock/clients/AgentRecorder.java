package io.penstock.clients;

import io.penstock.fake.AgentRecord;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RecordedJson;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Writes what an agent sent, in the form that {@link AgentRecord} reads. A value that differs from
 * run to run, or tells of a person or a machine, becomes a fixed one of the same kind.
 */
final class AgentRecorder {
  /** Headers of one connection, which are made anew by whoever sends a request again. */
  private static final Set<String> OF_CONNECTION =
      Set.of(
          "connection",
          "content-length",
          "host",
          "sec-websocket-key",
          "sec-websocket-version",
          "transfer-encoding",
          "upgrade");

  /** Ids, with the part in front that tells their kind. */
  private static final Pattern UUID =
      Pattern.compile("(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b");

  private static final Pattern SESSION = Pattern.compile("(?<=\\bses_)[0-9A-Za-z]{26}\\b");
  private static final Pattern ANSWER = Pattern.compile("(?<=_mock_)\\d+");

  /** Instants of these years, in seconds, and in milliseconds. */
  private static final Pattern SECONDS =
      Pattern.compile("(?<!\\d)1[7-9]\\d{8}(?:\\.\\d+)?(?![\\d.])");

  private static final Pattern MILLIS = Pattern.compile("(?<!\\d)1[7-9]\\d{11}(?!\\d)");
  private static final Pattern SYSTEM = Pattern.compile("(?<=\\()\\w+ [\\d.]+; x86_64(?=\\))");

  private final Map<String, Map<String, String>> ids = new HashMap<>();
  private final RecordedJson bodies = new RecordedJson();
  private final Path home;
  private final String key;
  private final String path;

  /** Creates a recorder for a run in a directory, with a secret, at the path of an endpoint. */
  AgentRecorder(Path home, String key, String path) {
    this.home = home;
    this.key = key;
    this.path = path;
  }

  /** Writes a record when records are written. */
  void write(String name, String title, String dialect, AgentRun run) {
    List<String> parts = new ArrayList<>();
    parts.add("# " + title + ", dialect " + dialect + "\n\n");
    run.asks().forEach(each -> parts.add(request(each)));
    run.messages()
        .forEach(each -> parts.add("### " + AgentRecord.MESSAGE + "\n\n" + json(each) + "\n"));
    GoldenRecords.write("agents/" + name + ".txt", String.join("", parts).strip() + "\n");
  }

  private String request(HttpMessage request) {
    String method = request.start().split(" ", 2)[0];
    StringBuilder text = new StringBuilder("### ");
    text.append(method).append(' ').append(stable(request.target().substring(path.length())));
    text.append('\n');
    request.headers().stream()
        .filter(each -> !OF_CONNECTION.contains(name(each)))
        .forEach(each -> text.append(stable(each)).append('\n'));
    text.append('\n');
    return request.body().length == 0 ? text.toString() : text + json(request.text()) + "\n";
  }

  private static String name(String header) {
    return header.substring(0, header.indexOf(':')).toLowerCase(Locale.ROOT);
  }

  private String json(String text) {
    return bodies.recorded(text, this::stable) + "\n";
  }

  private String stable(String text) {
    String stable = text.replace(key, AgentRecord.KEY).replace(home.toString(), "/agent");
    stable = numbered(UUID, stable, "00000000-0000-4000-8000-%012d");
    stable = numbered(SESSION, stable, "%026d");
    stable = numbered(ANSWER, stable, "%d");
    stable = SECONDS.matcher(stable).replaceAll("1700000000");
    stable = MILLIS.matcher(stable).replaceAll("1700000000000");
    return SYSTEM.matcher(stable).replaceAll("Linux; x86_64");
  }

  /** Replaces ids by numbers in the order in which they come first. */
  private String numbered(Pattern kind, String text, String format) {
    Map<String, String> known = ids.computeIfAbsent(format, _ -> new HashMap<>());
    return kind.matcher(text)
        .replaceAll(
            found -> known.computeIfAbsent(found.group(), _ -> format.formatted(known.size() + 1)));
  }
}
