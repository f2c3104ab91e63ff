package io.penstock.json;

import java.nio.ByteBuffer;

/**
 * Finds the data of the events in a stream of server-sent events as its bytes pass, cut anywhere.
 * Lines may end in LF, CR or CRLF. Source: the HTML standard, section "Server-sent events"; fields
 * other than {@code data} do not matter here.
 */
public final class SseScanner {
  /** Most data that is read of one event, in bytes; the rest of a larger event is skipped. */
  public static final int MAX_EVENT_BYTES = 1 << 20;

  private static final byte[] BOM = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
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

    /** The event is too large; no more of its data comes before its end. */
    void oversized();
  }

  private enum State {
    START,
    LINE,
    FIELD,
    SPACE,
    VALUE,
    OTHER
  }

  private final Sink sink;
  private State state = State.START;
  private int matched;
  private boolean afterReturn;
  private boolean inEvent;
  private long eventBytes;

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
        case START -> start(bytes, next);
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

  private void start(ByteBuffer bytes, byte next) {
    if (next != BOM[matched]) {
      // part of the mark cannot be the beginning of the field name, so this line is ignored
      state = matched == 0 ? State.LINE : State.OTHER;
      return;
    }
    bytes.get();
    matched++;
    if (matched == BOM.length) {
      state = State.LINE;
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
      eventBytes = 0;
    } else if (fits(1)) {
      sink.nextLine();
    }
  }

  private void value(ByteBuffer bytes) {
    int end = endOfLine(bytes);
    int limit = bytes.limit();
    if (fits(end - bytes.position())) {
      bytes.limit(end);
      sink.data(bytes);
      bytes.limit(limit);
    }
    bytes.position(end);
    lineBreak(bytes);
  }

  private boolean fits(long more) {
    boolean fitted = eventBytes <= MAX_EVENT_BYTES;
    eventBytes += more;
    if (fitted && eventBytes > MAX_EVENT_BYTES) {
      sink.oversized();
    }
    return eventBytes <= MAX_EVENT_BYTES;
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
