package io.penstock.json;

import java.nio.ByteBuffer;

/**
 * Finds the data of the events in a stream of server-sent events as its bytes pass, cut anywhere.
 * Lines may end in LF, CR or CRLF. Source: the HTML standard, section "Server-sent events"; fields
 * other than {@code data} do not matter here. The byte order mark that a stream may begin with is
 * not fed.
 */
public final class SseScanner {
  private static final byte[] DATA = {'d', 'a', 't', 'a'};

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
  }

  private enum State {
    LINE,
    FIELD,
    SPACE,
    VALUE,
    OTHER
  }

  private final Sink sink;
  private State state = State.LINE;
  private int matched;
  private boolean afterReturn;
  private boolean inEvent;

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
    state = State.FIELD;
  }

  private void field(ByteBuffer bytes, byte next) {
    if (matched < DATA.length) {
      if (next == DATA[matched]) {
        matched++;
        bytes.get();
      } else {
        state = State.OTHER;
      }
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
