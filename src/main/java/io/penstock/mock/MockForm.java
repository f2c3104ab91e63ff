package io.penstock.mock;

/** The format of the answers to one call of a provider. Implementations are stateless. */
interface MockForm {
  /** Returns a whole answer. */
  byte[] whole(MockAnswer answer);

  /** Appends the part of a stream before the first token. */
  void begin(MockAnswer answer, MockBytes out);

  /** Appends the tokens after the first {@code from} up to the first {@code to}. */
  void tokens(MockAnswer answer, int from, int to, MockBytes out);

  /** Appends the part of a stream after the last token. */
  void end(MockAnswer answer, MockBytes out);

  /** Returns the media type of a stream. */
  default String streamType() {
    return "text/event-stream; charset=utf-8";
  }
}
