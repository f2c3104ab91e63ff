package io.penstock.json;

import java.util.ArrayList;
import java.util.List;

/**
 * Input text of one request, kept for a tokenizer: exactly the strings that count as text, up to
 * {@link #MAX_CHARS} characters in all. Text beyond that is dropped.
 */
public final class KeptText {
  /** Most text that is kept, in characters. */
  static final int MAX_CHARS = 4 << 20;

  /** Longest text that becomes a string at once, in characters. */
  private static final int SHORT = 8_192;

  private final List<Part> parts = new ArrayList<>();
  private int room = MAX_CHARS;

  /** Returns a new part, which comes after all earlier ones. */
  public Part part() {
    Part part = new Part();
    parts.add(part);
    return part;
  }

  /**
   * Returns the whole kept text, part after part. A long text stays in its parts: to copy it would
   * take some milliseconds of an event loop. Nothing may be appended any more.
   */
  public CharSequence whole() {
    JoinedText whole = new JoinedText(parts.stream().map(part -> part.text).toList());
    return whole.length() > SHORT ? whole : whole.toString();
  }

  /** Text of one member of the body. */
  public final class Part {
    private final StringBuilder text = new StringBuilder();

    /** Makes room for so many more characters. */
    void expect(int length) {
      text.ensureCapacity(text.length() + Math.min(length, room));
    }

    public void append(char[] chars, int offset, int length) {
      int fits = Math.min(length, room);
      text.append(chars, offset, fits);
      room -= fits;
    }

    public void append(String chars) {
      int fits = Math.min(chars.length(), room);
      text.append(chars, 0, fits);
      room -= fits;
    }

    /** Ends an object or array: the closing bracket replaces the last comma. */
    public void closeJson(boolean array) {
      int last = text.length() - 1;
      if (last >= 0 && text.charAt(last) == ',') {
        text.setLength(last);
        room++;
      }
      append(array ? "]," : "},");
    }
  }
}
