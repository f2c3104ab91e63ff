package io.penstock.json;

import java.nio.ByteBuffer;

/**
 * Finds the data of the events in a stream of server-sent events as its bytes pass, cut anywhere.
 * Lines may end in LF, CR or CRLF. Source: the HTML standard, section "Server-sent events"; of
 * other fields than {@code data} only that matters whether an event is called {@code error}. The
 * byte order mark that a stream may begin with is not fed.
 */
public final class SseScanner {
  /** A field that matters. */
  private enum Field {
    DATA("data"),
    EVENT("event"),
    ERROR("error");

    private final String name;

    Field(String name) {
      this.name = name;
    }
  }

  /** Receives the data of each event, piece by piece. */
  public interface Sink {
    /**
     * Receives a piece of a data line: the remaining bytes of {@code piece}, which the sink must
     * consume.
     */
    void data(ByteBuffer piece);

    /** A further data line of the event begins. */
    void nextLine();

    /** The event is complete. */
    void endEvent();

    /**
     * The event is called {@code error}, or its data is in a field of that name, as old servers of
     * llama.cpp have it.
     *
     * @return whether that matters; if not, such a field is passed over
     */
    default boolean errorEvent() {
      return false;
    }

    /**
     * Receives a piece of a line of a JSON document that stands between events without being one,
     * as Gemini reports errors in a stream. Breaks of lines are left out.
     *
     * @return whether the document has ended, or nothing of it matters; the rest of the line does
     *     not
     */
    default boolean document(ByteBuffer piece) {
      return true;
    }

    /** The document has ended without being complete. */
    default void documentEnds() {}
  }

  private enum State {
    LINE,
    FIELD,
    SPACE,
    VALUE,
    NAME,
    DOCUMENT,
    OTHER
  }

  private final Sink sink;
  private State state = State.LINE;
  private Field expected = Field.DATA;
  private int matched;
  private boolean afterReturn;
  private boolean inEvent;

  /** Whether a line of a document begins. */
  private boolean lineBegins;

  public SseScanner(Sink sink) {
    this.sink = sink;
  }

  /** Reads and consumes {@code bytes}. */
  public void feed(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      byte next = bytes.get(bytes.position());
      if (afterReturn) {
        afterReturn = false;
        if (next == '\n') {
          bytes.get();
          continue;
        }
      }
      switch (state) {
        case LINE -> line(bytes, next);
        case FIELD -> field(bytes, next);
        case SPACE -> {
          if (next == ' ') {
            bytes.get();
          }
          state = State.VALUE;
        }
        case VALUE -> value(bytes);
        case NAME -> name(bytes, next);
        case DOCUMENT -> document(bytes, next);
        case OTHER -> {
          bytes.position(endOfLine(bytes));
          lineBreak(bytes);
        }
      }
    }
  }

  private void line(ByteBuffer bytes, byte next) {
    if (next == '\n' || next == '\r') {
      lineBreak(bytes);
      if (inEvent) {
        inEvent = false;
        sink.endEvent();
      }
      return;
    }
    matched = 0;
    expected = next == 'e' ? Field.EVENT : Field.DATA;
    lineBegins = false;
    state = next == '{' && !inEvent ? State.DOCUMENT : State.FIELD;
  }

  /** Reads a line of a document, or a piece of it; a line of an event ends the document. */
  private void document(ByteBuffer bytes, byte next) {
    if (lineBegins && isField(next)) {
      sink.documentEnds();
      line(bytes, next);
      return;
    }
    int limit = bytes.limit();
    bytes.limit(endOfLine(bytes));
    boolean ended = bytes.hasRemaining() && sink.document(bytes);
    bytes.limit(limit);
    lineBegins = false;
    if (ended) {
      state = State.OTHER;
    } else if (bytes.hasRemaining()) {
      afterReturn = bytes.get() == '\r';
      lineBegins = true;
    }
  }

  /** Returns whether a line that begins so is one of an event, and no JSON. */
  private static boolean isField(byte first) {
    return first == ':' || (first >= 'a' && first <= 'z');
  }

  private void field(ByteBuffer bytes, byte next) {
    if (matched == 1 && next == 'r' && expected == Field.EVENT) {
      expected = Field.ERROR;
    }
    if (matched < expected.name.length()) {
      if (!matchesOn(bytes)) {
        state = State.OTHER;
      }
    } else if (expected == Field.EVENT) {
      matched = 0;
      state = next == ':' ? State.NAME : State.OTHER;
      bytes.position(bytes.position() + (next == ':' ? 1 : 0));
    } else if (expected == Field.ERROR && !(next == ':' && sink.errorEvent())) {
      state = State.OTHER;
    } else if (next == ':') {
      bytes.get();
      beginData();
      state = State.SPACE;
    } else if (next == '\n' || next == '\r') {
      beginData();
      lineBreak(bytes);
    } else {
      state = State.OTHER;
    }
  }

  /** Consumes what goes on as expected; returns whether that is at least one byte. */
  private boolean matchesOn(ByteBuffer bytes) {
    int before = matched;
    // the second byte tells an event from an error
    int most = expected == Field.EVENT && before == 0 ? 1 : expected.name.length();
    int at = bytes.position();
    while (matched < most && at < bytes.limit() && bytes.get(at) == expected.name.charAt(matched)) {
      matched++;
      at++;
    }
    bytes.position(at);
    return matched > before;
  }

  /** Reads the name of the event. */
  private void name(ByteBuffer bytes, byte next) {
    if (matched == Field.ERROR.name.length() && (next == '\n' || next == '\r')) {
      inEvent |= sink.errorEvent();
      lineBreak(bytes);
    } else if (matched < Field.ERROR.name.length() && next == Field.ERROR.name.charAt(matched)) {
      matched++;
      bytes.get();
    } else if (matched == 0 && next == ' ') {
      bytes.get();
    } else {
      state = State.OTHER;
    }
  }

  private void beginData() {
    if (!inEvent) {
      inEvent = true;
    } else {
      sink.nextLine();
    }
  }

  private void value(ByteBuffer bytes) {
    int end = endOfLine(bytes);
    int limit = bytes.limit();
    bytes.limit(end);
    sink.data(bytes);
    bytes.limit(limit);
    bytes.position(end);
    lineBreak(bytes);
  }

  /** Consumes the line break at the position, if there is one. */
  private void lineBreak(ByteBuffer bytes) {
    if (bytes.hasRemaining()) {
      afterReturn = bytes.get() == '\r';
      state = State.LINE;
    }
  }

  private static int endOfLine(ByteBuffer bytes) {
    int limit = bytes.limit();
    for (int i = bytes.position(); i < limit; i++) {
      byte b = bytes.get(i);
      if (b == '\n' || b == '\r') {
        return i;
      }
    }
    return limit;
  }
}
