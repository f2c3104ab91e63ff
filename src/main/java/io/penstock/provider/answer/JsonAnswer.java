package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;
import java.nio.ByteBuffer;

/**
 * Reads an answer that is a JSON object, or, where that is expected, a list of objects that arrive
 * one by one like the events of a stream. The content of an element takes effect as it is read.
 */
final class JsonAnswer extends MeteredAnswer {
  private enum State {
    /** Only white space or a byte order mark so far. */
    START,
    /** In an answer that is not a list. */
    SINGLE,
    /** In the list, before or after an element. */
    BETWEEN,
    ELEMENT,
    STRING,
    ESCAPE,
    /** Behind the end of the list. */
    END,
    PASSED_OVER
  }

  private final JsonWalk walk;
  private State state;
  private boolean fed;
  private int depth;

  private JsonAnswer(AnswerVisitor visitor, State state) {
    super(visitor.usageMeter);
    this.walk = JsonWalk.ofAnswer(visitor);
    this.state = state;
  }

  /** Returns a reader of a single JSON object. */
  static JsonAnswer single(AnswerVisitor visitor) {
    return new JsonAnswer(visitor, State.SINGLE);
  }

  /** Returns a reader of a JSON object or a list of objects. */
  static JsonAnswer orList(AnswerVisitor visitor) {
    return new JsonAnswer(visitor, State.START);
  }

  @Override
  public void feed(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      switch (state) {
        case START -> start(bytes);
        case SINGLE -> single(bytes);
        case BETWEEN -> between(bytes);
        case ELEMENT, STRING, ESCAPE -> element(bytes);
        case END -> end(bytes);
        case PASSED_OVER -> bytes.position(bytes.limit());
      }
    }
  }

  private void single(ByteBuffer bytes) {
    fed = true;
    walk.feed(bytes);
    warnOfFault();
  }

  private void warnOfFault() {
    String fault = walk.fault();
    if (fault != null) {
      usageMeter.warn("the answer cannot be read: " + fault);
    }
  }

  private void start(ByteBuffer bytes) {
    int next = bytes.get(bytes.position()) & 0xFF;
    if (isSpace(next) || next == 0xEF || next == 0xBB || next == 0xBF) {
      bytes.get();
    } else if (next == '[') {
      bytes.get();
      state = State.BETWEEN;
    } else {
      state = State.SINGLE;
    }
  }

  private void between(ByteBuffer bytes) {
    int next = bytes.get(bytes.position());
    if (next == '{') {
      depth = 0;
      state = State.ELEMENT;
    } else if (isSpace(next) || next == ',') {
      bytes.get();
    } else if (next == ']') {
      bytes.get();
      state = State.END;
    } else {
      usageMeter.warn("the answer is a list of something else than JSON objects");
      state = State.PASSED_OVER;
    }
  }

  /** Feeds the available bytes of an element; its end is found by counting brackets. */
  private void element(ByteBuffer bytes) {
    int limit = bytes.limit();
    int at = bytes.position();
    boolean ended = false;
    while (at < limit && !ended) {
      ended = step(bytes.get(at++));
    }
    bytes.limit(at);
    walk.feed(bytes);
    bytes.limit(limit);
    if (ended) {
      endElement();
    }
  }

  /** Processes one byte of an element; returns whether it is the last. */
  private boolean step(byte next) {
    switch (state) {
      case ESCAPE -> state = State.STRING;
      case STRING ->
          state = next == '\\' ? State.ESCAPE : next == '"' ? State.ELEMENT : State.STRING;
      default -> {
        switch (next) {
          case '"' -> state = State.STRING;
          case '{', '[' -> depth++;
          case '}', ']' -> depth--;
          default -> {}
        }
        return depth == 0;
      }
    }
    return false;
  }

  private void endElement() {
    usageMeter.endDocument(walk, "an element of the answer");
    state = State.BETWEEN;
  }

  private void end(ByteBuffer bytes) {
    if (!isSpace(bytes.get())) {
      usageMeter.warn("the answer cannot be read: there is more after the JSON");
      state = State.PASSED_OVER;
    }
  }

  /** Ends the reading; an answer without a body states nothing and is no oddity. */
  @Override
  public void finish() {
    switch (state) {
      case SINGLE -> {
        if (fed) {
          walk.end();
          warnOfFault();
        }
      }
      case BETWEEN, ELEMENT, STRING, ESCAPE ->
          usageMeter.warn("the answer cannot be read: it ends inside the list");
      case START, END, PASSED_OVER -> {}
    }
  }

  private static boolean isSpace(int b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }
}
