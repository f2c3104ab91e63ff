package io.penstock.fake;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads HTTP/1.1 messages from a socket, without interpreting them further. */
final class Http1 {
  private Http1() {}

  /** Reads up to the blank line; throws {@link EOFException} if the stream ends before it. */
  static HttpMessage head(InputStream in) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      lines.add(line);
    }
    if (lines.isEmpty()) {
      throw new EOFException("an empty line, expected a message");
    }
    return new HttpMessage(
        lines.getFirst(), List.copyOf(lines.subList(1, lines.size())), new byte[0]);
  }

  /**
   * Reads the body that belongs to {@code head}; without a length it extends to the end of the
   * stream.
   */
  static byte[] body(InputStream in, HttpMessage head, boolean untilEnd) throws IOException {
    if (head.is("transfer-encoding", "chunked")) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (byte[] chunk = chunk(in); chunk.length > 0; chunk = chunk(in)) {
        all.writeBytes(chunk);
      }
      return all.toByteArray();
    }
    String length = head.header("content-length");
    if (length != null) {
      return exactly(in, Integer.parseInt(length));
    }
    return untilEnd ? in.readAllBytes() : new byte[0];
  }

  /** Reads one chunk; the last one is empty. */
  static byte[] chunk(InputStream in) throws IOException {
    int size = Integer.parseInt(line(in).split(";", 2)[0].strip(), 16);
    byte[] bytes = exactly(in, size);
    if (size > 0) {
      line(in);
    } else {
      String trailer = line(in);
      while (!trailer.isEmpty()) {
        trailer = line(in);
      }
    }
    return bytes;
  }

  private static byte[] exactly(InputStream in, int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException(bytes.length + " bytes, expected " + count);
    }
    return bytes;
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the end, expected a line after " + line.size() + " bytes");
      }
      line.write(b);
    }
    return line.toString(ISO_8859_1).stripTrailing();
  }

  static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
