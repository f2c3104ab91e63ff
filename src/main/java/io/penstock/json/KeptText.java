package io.penstock.json;

import java.util.ArrayList;
import java.util.List;

/**
 * The input text of one request, kept for a tokenizer: the very strings that count as text, at most
 * {@link #MAX_CHARS} characters of them. What comes when those are full is not kept.
 */
public final class KeptText {
  /** The most that is kept, in characters. */
  static final int MAX_CHARS = 4 << 20;

  private final List<Part> parts = new ArrayList<>();
  private int room = MAX_CHARS;

  /** Returns a new part, which follows on those before it. */
  public Part part() {
    Part part = new Part();
    parts.add(part);
    return part;
  }

  /** Returns all that was kept, part after part. */
  public String whole() {
    StringBuilder whole = new StringBuilder(MAX_CHARS - room);
    for (Part part : parts) {
      whole.append(part.text);
    }
    return whole.toString();
  }

  /** The text of one member of the body, which is forgotten when the member comes again. */
  public final class Part {
    private final StringBuilder text = new StringBuilder();

    public void clear() {
      room += text.length();
      text.setLength(0);
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

    /** Ends what lies between brackets: a bracket takes the place of the last comma. */
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
