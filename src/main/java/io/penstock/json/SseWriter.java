package io.penstock.json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes server-sent events. */
public final class SseWriter {
  private static final byte[] DATA = ascii("data: ");
  private static final byte[] NAME = ascii("event: ");
  private static final byte[] END = ascii("\n\n");

  private SseWriter() {}

  /** Returns a comment, which readers ignore. */
  public static byte[] comment() {
    return ascii(": \n\n");
  }

  /** Returns a comment with a text of printable ASCII characters. */
  public static byte[] comment(String text) {
    return ascii(": " + text + "\n\n");
  }

  /** Returns an event without a name. */
  public static byte[] data(byte[] json) {
    ByteArrayOutputStream event = new ByteArrayOutputStream(json.length + DATA.length + END.length);
    write(event, json);
    return event.toByteArray();
  }

  /** Returns an event with a name. */
  public static byte[] named(String name, byte[] json) {
    ByteArrayOutputStream event = new ByteArrayOutputStream(json.length + 64);
    event.writeBytes(NAME);
    event.writeBytes(ascii(name + "\n"));
    write(event, json);
    return event.toByteArray();
  }

  /**
   * Writes the data with line ends replaced by spaces: they are white space in JSON, but would end
   * the data in the stream.
   */
  private static void write(ByteArrayOutputStream event, byte[] json) {
    event.writeBytes(DATA);
    for (byte each : json) {
      event.write(each == '\n' || each == '\r' ? ' ' : each);
    }
    event.writeBytes(END);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
