package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;
import io.penstock.json.SseScanner;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Detector of events of an OpenAI stream that contain nothing but the usage. */
final class UsageOnlyEvent implements JsonWalk.Visitor, SseScanner.Sink {
  private static final byte[] NAME = "\"usage\"".getBytes(StandardCharsets.US_ASCII);

  private final JsonWalk walk = JsonWalk.ofAnswer(this);
  private boolean noChoices;
  private boolean usage;

  private UsageOnlyEvent() {}

  /** Returns whether an event contains only the usage; its bytes are not consumed. */
  static boolean matches(ByteBuffer event) {
    if (!mayMatch(event)) {
      return false;
    }
    UsageOnlyEvent parsed = new UsageOnlyEvent();
    new SseScanner(parsed).feed(event.duplicate());
    parsed.walk.end();
    return parsed.walk.fault() == null && parsed.noChoices && parsed.usage;
  }

  /**
   * Returns whether an event has a usage that is not null. Most have null, which is detected
   * without parsing them.
   */
  private static boolean mayMatch(ByteBuffer event) {
    int last = event.limit() - NAME.length;
    for (int i = event.position(); i <= last; i++) {
      if (event.get(i) == '"' && isName(event, i) && !isNull(event, i + NAME.length)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isName(ByteBuffer event, int at) {
    for (int i = 0; i < NAME.length; i++) {
      if (event.get(at + i) != NAME[i]) {
        return false;
      }
    }
    return true;
  }

  private static boolean isNull(ByteBuffer event, int at) {
    int i = at;
    while (i < event.limit() && (event.get(i) == ' ' || event.get(i) == ':')) {
      i++;
    }
    return i < event.limit() && event.get(i) == 'n';
  }

  @Override
  public void open(JsonWalk at, boolean array) {
    if (at.depth() == 1 && "choices".equals(at.name())) {
      noChoices = array;
    } else if (at.depth() == 1 && "usage".equals(at.name())) {
      usage = !array;
    } else if ("choices".equals(at.name(1))) {
      noChoices = false;
    }
  }

  @Override
  public void close(JsonWalk at) {}

  @Override
  public void scalar(JsonWalk at) {
    if ("choices".equals(at.name(1))) {
      noChoices = false;
    } else if (at.depth() == 1 && "usage".equals(at.name())) {
      usage = false;
    }
  }

  @Override
  public void data(ByteBuffer piece) {
    walk.feed(piece);
  }

  @Override
  public void nextLine() {
    walk.feed(ByteBuffer.wrap(new byte[] {'\n'}));
  }

  @Override
  public void endEvent() {}
}
