package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;
import java.nio.ByteBuffer;

/**
 * Reads an answer that is a JSON object, several of them one after the other, or a list of objects
 * that arrive one by one like the events of a stream. The content of an object takes effect as it
 * is read.
 */
final class JsonAnswer extends MeteredAnswer {
  private enum State {
    /** Before the first object, or between two of them. */
    BETWEEN,
    OBJECT,
    /** In an element of the list, which may be broken: its end is found by counting brackets. */
    ELEMENT,
    STRING,
    ESCAPE,
    PASSED_OVER
  }

  private final JsonWalk walk;
  private State state = State.BETWEEN;
  private boolean begun;
  private boolean inList;
  private int depth;

  JsonAnswer(AnswerVisitor visitor) {
    super(visitor.usageMeter, visitor.errorFinder);
    this.walk = JsonWalk.ofAnswer(visitor);
  }

  @Override
  public void feed(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      switch (state) {
        case BETWEEN -> between(bytes);
        case OBJECT -> object(bytes);
        case ELEMENT, STRING, ESCAPE -> element(bytes);
        case PASSED_OVER -> bytes.position(bytes.limit());
      }
    }
  }

  private void between(ByteBuffer bytes) {
    int next = bytes.get(bytes.position());
    if (next == '{') {
      begun = true;
      depth = 0;
      state = inList ? State.ELEMENT : State.OBJECT;
    } else if (DetectedAnswer.isBlank(next) || (inList && next == ',')) {
      bytes.get();
    } else if (next == '[' && !begun) {
      bytes.get();
      begun = true;
      inList = true;
    } else if (next == ']' && inList) {
      bytes.get();
      inList = false;
    } else {
      fault(
          inList ? "it is a list of something else than objects" : "there is more after the JSON");
    }
  }

  private void object(ByteBuffer bytes) {
    if (walk.feedDocument(bytes)) {
      usageMeter.endDocument(walk, "an object of the answer");
      state = State.BETWEEN;
    } else {
      String fault = walk.fault();
      if (fault != null) {
        fault(fault);
      }
    }
  }

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
      usageMeter.endDocument(walk, "an element of the answer");
      state = State.BETWEEN;
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

  private void fault(String what) {
    usageMeter.warn("the answer cannot be read: " + what);
    state = State.PASSED_OVER;
  }

  /** Ends the reading; an answer without a body states nothing and is no oddity. */
  @Override
  public void finish() {
    if (state == State.OBJECT) {
      walk.end();
      fault(String.valueOf(walk.fault()));
    } else if (state != State.PASSED_OVER && inList) {
      fault("it ends inside the list");
    }
    errorFinder.finish();
  }
}
