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

  private final List<Part> parts = new ArrayList<>();
  private int room = MAX_CHARS;

  /** Returns a new part, which comes after all earlier ones. */
  public Part part() {
    Part part = new Part();
    parts.add(part);
    return part;
  }

  /** Returns the whole kept text, part after part. */
  public String whole() {
    StringBuilder whole = new StringBuilder(MAX_CHARS - room);
    for (Part part : parts) {
      whole.append(part.text);
    }
    return whole.toString();
  }

  /** Text of one member of the body. */
  public final class Part {
    private final StringBuilder text = new StringBuilder();

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
