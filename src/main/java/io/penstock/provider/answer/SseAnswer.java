package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;
import io.penstock.json.SseScanner;
import java.nio.ByteBuffer;

/**
 * Reads an answer that is a stream of events with one JSON object each. The content of an event
 * takes effect as it is read, so a last event without its blank line is not lost.
 */
final class SseAnswer extends MeteredAnswer implements SseScanner.Sink {
  private static final byte[] NEWLINE = {'\n'};

  private enum Event {
    /** Only white space so far. */
    BLANK,
    JSON,
    PASSED_OVER
  }

  private final JsonWalk walk;
  private final SseScanner scanner = new SseScanner(this);
  private Event event = Event.BLANK;

  SseAnswer(AnswerVisitor visitor) {
    super(visitor.usageMeter, visitor.errorFinder);
    this.walk = JsonWalk.ofAnswer(visitor);
  }

  @Override
  public void feed(ByteBuffer bytes) {
    scanner.feed(bytes);
  }

  @Override
  public void data(ByteBuffer piece) {
    if (event == Event.BLANK) {
      begin(piece);
    }
    if (event == Event.JSON) {
      walk.feed(piece);
    } else {
      piece.position(piece.limit());
    }
  }

  /**
   * Determines the kind of event by its first significant byte: an object, the {@code [DONE]} mark,
   * or something else.
   */
  private void begin(ByteBuffer piece) {
    for (int i = piece.position(); i < piece.limit(); i++) {
      byte b = piece.get(i);
      if (b != ' ' && b != '\t') {
        event = b == '{' ? Event.JSON : Event.PASSED_OVER;
        if (b != '{' && b != '[') {
          usageMeter.warn("an event of the stream is not a JSON object");
        }
        return;
      }
    }
  }

  @Override
  public void nextLine() {
    if (event == Event.JSON) {
      walk.feed(ByteBuffer.wrap(NEWLINE));
    }
  }

  @Override
  public void endEvent() {
    if (event == Event.JSON) {
      usageMeter.endDocument(walk, "an event of the stream");
    }
    event = Event.BLANK;
    errorFinder.endEvent();
  }

  @Override
  public boolean errorEvent() {
    errorFinder.named();
    return true;
  }

  @Override
  public boolean document(ByteBuffer piece) {
    boolean ended = walk.feedDocument(piece) || walk.fault() != null;
    if (ended) {
      documentEnds();
    }
    return ended;
  }

  @Override
  public void documentEnds() {
    usageMeter.endDocument(walk, "JSON between the events of the stream");
  }

  /**
   * Ends the reading; an incomplete last event is an oddity, although its content has taken effect.
   */
  @Override
  public void finish() {
    if (event == Event.JSON) {
      endEvent();
    }
    errorFinder.finish();
  }
}
