package io.penstock.provider.answer;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes from an OpenAI stream the event that exists only because the gateway asked for the usage:
 * its {@code choices} are empty and its {@code usage} is an object. Everything else passes
 * unchanged, even comments within that event. Events are buffered until they are complete, up to
 * {@link #MAX_EVENT_BYTES}; larger ones pass. For one thread at a time.
 */
public final class UsageHider {
  /** Size of the largest event that is examined: one that has nothing but the usage is small. */
  static final int MAX_EVENT_BYTES = 8 << 10;

  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private enum Event {
    NONE,
    HELD,
    /** Too large to be examined. */
    PASSES
  }

  private final ByteArrayOutputStream held = new ByteArrayOutputStream(0);
  private Event event = Event.NONE;
  private int markBytes;
  private boolean lineBegun;
  private boolean afterReturn;
  private boolean hid;

  /**
   * Reads and consumes {@code bytes}.
   *
   * @return the bytes that may pass now, in order: views of {@code bytes} and of the buffer
   */
  public List<ByteBuffer> pass(ByteBuffer bytes) {
    List<ByteBuffer> passed = new ArrayList<>(2);
    ByteBuffer all = bytes.slice();
    bytes.position(bytes.limit());
    int from = 0; // start of the bytes that have not been passed yet
    int begun = 0; // start of the current event, if it is in these bytes
    for (int i = 0; i < all.limit(); i++) {
      byte b = all.get(i);
      if (afterReturn && b == '\n') {
        afterReturn = false;
        from += hid ? 1 : 0;
        hid = false;
        continue;
      }
      afterReturn = b == '\r';
      hid = false;
      if (b != '\n' && b != '\r') {
        if (begins(b)) {
          begun = i;
        }
      } else if (lineBegun || event == Event.NONE) {
        lineBegun = false;
      } else {
        from = end(all, from, begun, i + 1, passed);
        begun = i + 1;
      }
    }
    hold(all, from, begun, passed);
    return passed;
  }

  /** Returns the rest of the buffer at the end of the stream: an event that lacks its end. */
  public List<ByteBuffer> end() {
    ByteBuffer rest = ByteBuffer.wrap(held.toByteArray());
    held.reset();
    event = Event.NONE;
    return rest.hasRemaining() && !UsageOnlyEvent.matches(rest) ? List.of(rest) : comments(rest);
  }

  /** Returns whether the buffer holds anything. */
  public boolean holds() {
    return held.size() > 0;
  }

  /**
   * Returns whether an event begins with this byte of a line. Comments outside an event do not
   * begin one.
   */
  private boolean begins(byte b) {
    if (markBytes >= 0 && markBytes < MARK.length && b == MARK[markBytes]) {
      markBytes++;
      return false;
    }
    markBytes = -1;
    boolean first = !lineBegun;
    lineBegun = true;
    if (first && event == Event.NONE && b != ':') {
      event = Event.HELD;
      return true;
    }
    return false;
  }

  /** Ends the current event before {@code to}; returns the start of the bytes to pass next. */
  private int end(ByteBuffer all, int from, int begun, int to, List<ByteBuffer> passed) {
    boolean examined = event == Event.HELD;
    event = Event.NONE;
    if (!examined) {
      return from;
    }
    ByteBuffer whole = whole(all, begun, to);
    if (whole == null || !UsageOnlyEvent.matches(whole)) {
      release(passed);
      return from;
    }
    hid = afterReturn;
    held.reset();
    add(passed, all, from, begun);
    passed.addAll(comments(whole));
    return to;
  }

  private @Nullable ByteBuffer whole(ByteBuffer all, int begun, int to) {
    int size = held.size() + to - begun;
    if (size > MAX_EVENT_BYTES) {
      return null;
    }
    ByteBuffer here = all.slice(begun, to - begun);
    return held.size() == 0
        ? here
        : ByteBuffer.allocate(size).put(held.toByteArray()).put(here).flip();
  }

  /** Passes everything except the beginning of an event, which is buffered. */
  private void hold(ByteBuffer all, int from, int begun, List<ByteBuffer> passed) {
    int to = all.limit();
    if (event == Event.HELD && held.size() + to - begun > MAX_EVENT_BYTES) {
      event = Event.PASSES;
      release(passed);
    }
    if (event != Event.HELD) {
      add(passed, all, from, to);
      return;
    }
    add(passed, all, from, begun);
    byte[] rest = new byte[to - begun];
    all.get(begun, rest);
    held.writeBytes(rest);
  }

  private void release(List<ByteBuffer> passed) {
    if (held.size() > 0) {
      passed.add(ByteBuffer.wrap(held.toByteArray()));
      held.reset();
    }
  }

  private static void add(List<ByteBuffer> passed, ByteBuffer all, int from, int to) {
    if (to > from) {
      passed.add(all.slice(from, to - from));
    }
  }

  /** Returns the comment lines of an event. */
  private static List<ByteBuffer> comments(ByteBuffer whole) {
    List<ByteBuffer> comments = new ArrayList<>(0);
    int line = 0;
    for (int i = 0; i < whole.limit(); i++) {
      byte b = whole.get(i);
      boolean pair = b == '\r' && i + 1 < whole.limit() && whole.get(i + 1) == '\n';
      if ((b == '\n' || b == '\r') && !pair) {
        if (whole.get(line) == ':') {
          comments.add(whole.slice(line, i + 1 - line));
        }
        line = i + 1;
      }
    }
    return comments;
  }
}
