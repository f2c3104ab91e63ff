package io.penstock.fake;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;

/**
 * A record of requests and complete answers, in the form of an {@code .http} file. Header lines of
 * answers are sorted by name; a content length that matches the body is replaced by words, because
 * the body may contain replaced values.
 */
public final class Transcript {
  private final StableText stable;
  private final StringBuilder text = new StringBuilder();

  /** Creates an empty record. */
  public Transcript(StableText stable) {
    this.stable = stable;
  }

  /** Sends a request without a body, and adds it with its answer. */
  public Transcript ask(int port, String request, String... headers) {
    return send(port, request, "", headers);
  }

  /** Sends a request with a body, and adds it with its answer. */
  public Transcript send(int port, String request, String body, String... headers) {
    try (ByteSocket byteSocket = ByteSocket.to(port)) {
      HttpMessage answer = byteSocket.send(wireForm(port, request, body, headers)).answer();
      return add(request, List.of(headers), body, answer);
    }
  }

  /** Returns a request in the form in which it is sent. */
  public static String wireForm(int port, String request, String body, String... headers) {
    StringBuilder head = new StringBuilder(request + " HTTP/1.1\r\n");
    if (List.of(headers).stream().noneMatch(line -> line.startsWith("Host:"))) {
      head.append("Host: 127.0.0.1:").append(port).append("\r\n");
    }
    List.of(headers).forEach(line -> head.append(line).append("\r\n"));
    if (!body.isEmpty()) {
      int length = body.getBytes(StandardCharsets.UTF_8).length;
      head.append("Content-Length: ").append(length).append("\r\n");
    }
    return head + "Connection: close\r\n\r\n" + body;
  }

  /** Adds a request and its answer. */
  public Transcript add(String request, List<String> headers, String body, HttpMessage answer) {
    StringBuilder entry = new StringBuilder("### " + request + "\n");
    headers.forEach(line -> entry.append(line).append("\n"));
    if (!body.isEmpty()) {
      entry.append("\n").append(body.strip()).append("\n");
    }
    text.append(stable.of(entry.toString())).append("\n");
    text.append(stable.of(shown(answer))).append("\n");
    return this;
  }

  /** Returns an answer with its header lines sorted. */
  public static String shown(HttpMessage answer) {
    StringBuilder shown = new StringBuilder(answer.start()).append("\n");
    answer.headers().stream()
        .map(line -> length(line, answer))
        .sorted(Comparator.comparing(Http1::lower))
        .forEach(line -> shown.append(line).append("\n"));
    String body = answer.text();
    return body.isEmpty() ? shown.toString() : shown + "\n" + body.stripTrailing() + "\n";
  }

  private static String length(String line, HttpMessage answer) {
    String own = "content-length: " + answer.body().length;
    return Http1.lower(line).equals(own)
        ? line.substring(0, line.indexOf(':')) + ": <that of the body>"
        : line;
  }

  /** Adds a heading. */
  public Transcript heading(String line) {
    text.append("## ").append(line).append("\n\n");
    return this;
  }

  /** Adds text, with the parts replaced that differ from run to run. */
  public Transcript note(String more) {
    text.append(stable.of(more.strip())).append("\n\n");
    return this;
  }

  /** Returns the record. */
  public String text() {
    return text.toString().stripTrailing() + "\n";
  }
}
