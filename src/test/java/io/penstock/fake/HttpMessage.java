package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;

/**
 * An HTTP/1.1 message as it was on the wire.
 *
 * @param start the request line or status line
 * @param headers the header lines, in order
 * @param body the body, chunks joined
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record HttpMessage(String start, List<String> headers, byte[] body) {
  /** Returns the status of an answer. */
  public int status() {
    return Integer.parseInt(start.split(" ", 3)[1]);
  }

  /** Returns the target of a request. */
  public String target() {
    return start.split(" ", 3)[1];
  }

  /** Returns the first value of a header, or null. */
  public String header(String name) {
    List<String> all = all(name);
    return all.isEmpty() ? null : all.getFirst();
  }

  /** Returns all values of a header. */
  public List<String> all(String name) {
    String prefix = Http1.lower(name) + ":";
    return headers.stream()
        .filter(line -> Http1.lower(line).startsWith(prefix))
        .map(line -> line.substring(prefix.length()).strip())
        .toList();
  }

  boolean is(String name, String value) {
    return value.equalsIgnoreCase(header(name));
  }

  /** Returns the body as text. */
  public String text() {
    return new String(body, UTF_8);
  }

  HttpMessage with(byte[] read) {
    return new HttpMessage(start, headers, read);
  }
}
