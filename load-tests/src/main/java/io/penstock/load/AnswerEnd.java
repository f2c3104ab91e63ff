package io.penstock.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Finds where an HTTP/1.1 answer ends, by its length or its chunks. Keeps only its head. */
final class AnswerEnd {
  private static final int LONGEST_HEAD = 16 * 1024;
  private static final byte[] HEAD_END = {'\r', '\n', '\r', '\n'};

  private enum State {
    HEAD,
    BODY,
    CHUNK_SIZE,
    CHUNK,
    CHUNK_END,
    TRAILER
  }

  private final byte[] head = new byte[LONGEST_HEAD];
  private State state = State.HEAD;
  private int headLength;
  private long left;
  private int status;
  private boolean closes;
  private final boolean counts;
  private boolean bodyBegun;
  private boolean afterLine;
  private int events;

  AnswerEnd() {
    this(false);
  }

  /** Makes one that may count the events of streams, which takes a look at every byte. */
  AnswerEnd(boolean counts) {
    this.counts = counts;
  }

  /** Expects another answer. */
  void begin() {
    state = State.HEAD;
    headLength = 0;
    bodyBegun = false;
    afterLine = false;
    events = 0;
  }

  /** Returns whether a byte of the body has come. */
  boolean bodyBegun() {
    return bodyBegun;
  }

  /** Returns how many events were ended by an empty line so far, if they are counted. */
  int events() {
    return events;
  }

  int status() {
    return status;
  }

  /** Returns whether the other side closes the connection after this answer. */
  boolean closes() {
    return closes;
  }

  /**
   * Reads all bytes; true if the answer ends with them.
   *
   * @throws IOException if this is no answer whose end can be told, or something follows it
   */
  boolean reached(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      if (next(bytes)) {
        if (bytes.hasRemaining()) {
          throw new IOException(bytes.remaining() + " bytes after the answer");
        }
        return true;
      }
    }
    return false;
  }

  private boolean next(ByteBuffer bytes) throws IOException {
    switch (state) {
      case HEAD -> {
        return head(bytes.get());
      }
      case BODY -> {
        skip(bytes);
        return left == 0;
      }
      case CHUNK -> {
        skip(bytes);
        state = left == 0 ? State.CHUNK_END : State.CHUNK;
      }
      case CHUNK_SIZE -> size(bytes.get());
      case CHUNK_END -> {
        if (bytes.get() == '\n') {
          beginSize();
        }
      }
      case TRAILER -> {
        byte each = bytes.get();
        if (each == '\n' && left == 0) {
          return true;
        }
        left = each == '\n' ? 0 : each == '\r' ? left : left + 1;
      }
    }
    return false;
  }

  private void skip(ByteBuffer bytes) {
    int many = (int) Math.min(left, bytes.remaining());
    bodyBegun |= many > 0;
    if (counts) {
      for (int at = bytes.position(); at < bytes.position() + many; at++) {
        count(bytes.get(at));
      }
    }
    bytes.position(bytes.position() + many);
    left -= many;
  }

  private void count(byte each) {
    boolean line = each == '\n';
    events += line && afterLine ? 1 : 0;
    afterLine = line && !afterLine;
  }

  private void beginSize() {
    state = State.CHUNK_SIZE;
    left = 0;
  }

  private void size(byte each) throws IOException {
    if (each == '\n') {
      state = left == 0 ? State.TRAILER : State.CHUNK;
    } else if (each != '\r') {
      int digit = Character.digit(each, 16);
      if (digit < 0) {
        throw new IOException("a chunk whose size has the byte " + each);
      }
      left = 16 * left + digit;
    }
  }

  private boolean head(byte each) throws IOException {
    if (headLength == LONGEST_HEAD) {
      throw new IOException("a head of more than " + LONGEST_HEAD + " bytes");
    }
    head[headLength++] = each;
    if (each != '\n' || !headEnds()) {
      return false;
    }
    String text = new String(head, 0, headLength, StandardCharsets.ISO_8859_1);
    String lower = text.toLowerCase(Locale.ROOT);
    status = Integer.parseInt(lower, 9, 12, 10);
    closes = lower.contains("\r\nconnection: close\r\n");
    int length = lower.indexOf("\r\ncontent-length:");
    if (length >= 0) {
      int from = length + "\r\ncontent-length:".length();
      left = Long.parseLong(lower.substring(from, lower.indexOf('\r', from)).strip());
      state = State.BODY;
      return left == 0;
    }
    if (!lower.contains("\r\ntransfer-encoding: chunked\r\n")) {
      throw new IOException("neither a length nor chunks");
    }
    beginSize();
    return false;
  }

  private boolean headEnds() {
    if (headLength < HEAD_END.length) {
      return false;
    }
    for (int at = 0; at < HEAD_END.length; at++) {
      if (head[headLength - HEAD_END.length + at] != HEAD_END[at]) {
        return false;
      }
    }
    return true;
  }
}
