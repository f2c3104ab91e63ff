package io.penstock.mock;

/** How one call of a provider writes its answers. Implementations have no state. */
interface MockForm {
  /** Returns a whole answer. */
  byte[] whole(MockAnswer answer);

  /** Appends what a stream has before the first token. */
  void begin(MockAnswer answer, MockBytes out);

  /** Appends the tokens after the first {@code from} up to the first {@code to}. */
  void tokens(MockAnswer answer, int from, int to, MockBytes out);

  /** Appends what a stream has after the last token. */
  void end(MockAnswer answer, MockBytes out);

  /** Returns the media type of a stream. */
  default String streamType() {
    return "text/event-stream; charset=utf-8";
  }
}
