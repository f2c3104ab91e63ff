package io.penstock.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The requests that a coding agent sent in one run, read from a file in {@code
 * src/test/golden/agents}. {@code mvn verify -Pagents -Dpenstock.golden.record=true} writes these
 * files, and tests that need no agent send what is in them.
 *
 * <p>The file has the requests in their order, with paths below the endpoint's, and the messages of
 * a WebSocket. {@link RecordedJson} has the form of the bodies.
 *
 * @param name the agent and the case
 * @param dialect the dialect that it speaks
 * @param requests what it sent, in order
 */
public record AgentRecord(String name, String dialect, List<Request> requests) {
  /**
   * A request, or a message of a WebSocket.
   *
   * @param start the method and the target; {@link #MESSAGE} for a message
   * @param body the JSON that was sent, or nothing
   */
  public record Request(String start, List<String> headers, String body) {
    /** Returns the request as it is sent to an endpoint, with the secret of a key. */
    public String wireForm(int port, String path, String secret) {
      return Transcript.wireForm(
          port, start.replaceFirst(" ", " " + path), body, headers(secret).toArray(String[]::new));
    }

    /** Returns the headers with the secret of a key. */
    public List<String> headers(String secret) {
      return headers.stream().map(each -> each.replace(KEY, secret)).toList();
    }

    /** Returns the same request with another body. */
    public Request with(String otherBody) {
      return new Request(start, headers, otherBody);
    }
  }

  /** The start of a message of a WebSocket. */
  public static final String MESSAGE = "message";

  /** Stands for the secret of the key. */
  public static final String KEY = "KEY";

  private static final Path ROOT = Path.of("src", "test", "golden", "agents");
  private static final Pattern START = Pattern.compile("(?m)^### ");
  private static final Pattern TITLE = Pattern.compile("# .*, dialect (\\w+)\n");
  private static final String BODY = "\n\n";

  /** Reads all records, in the order of their names. */
  public static List<AgentRecord> all() {
    try (Stream<Path> files = Files.list(ROOT)) {
      return files
          .map(each -> each.getFileName().toString().replace(".txt", ""))
          .sorted()
          .map(AgentRecord::read)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the messages of a WebSocket. */
  public List<String> messages() {
    return requests.stream()
        .filter(each -> each.start().equals(MESSAGE))
        .map(Request::body)
        .toList();
  }

  @Override
  public String toString() {
    return name;
  }

  private static AgentRecord read(String name) {
    String text;
    try {
      text = Files.readString(ROOT.resolve(name + ".txt"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Matcher title = TITLE.matcher(text);
    if (!title.lookingAt()) {
      throw new IllegalArgumentException(name + " has no title with a dialect");
    }
    RecordedJson bodies = new RecordedJson();
    List<Request> requests = new ArrayList<>();
    START
        .splitAsStream(text.substring(title.end()))
        .filter(part -> !part.isBlank())
        .forEach(part -> requests.add(request(part, bodies)));
    return new AgentRecord(name, title.group(1), requests);
  }

  private static Request request(String part, RecordedJson bodies) {
    int end = (part.stripTrailing() + BODY).indexOf(BODY);
    List<String> head = part.substring(0, end).lines().toList();
    String body = part.substring(end).strip();
    return new Request(
        head.getFirst(), head.subList(1, head.size()), body.isEmpty() ? "" : bodies.expanded(body));
  }
}
