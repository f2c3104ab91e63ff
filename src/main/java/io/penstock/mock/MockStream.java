package io.penstock.mock;

import java.util.function.IntConsumer;

/** Writes one answer as events, piece by piece. Not thread-safe. */
final class MockStream {
  private final MockForm form;
  private final MockAnswer answer;
  private final IntConsumer produced;
  private int sent;

  /** Creates a stream that reports the number of tokens of each piece to {@code produced}. */
  MockStream(MockAnswer answer, IntConsumer produced) {
    this.form = answer.ask().form();
    this.answer = answer;
    this.produced = produced;
  }

  /** Returns the events before the first token. */
  byte[] start() {
    MockBytes out = new MockBytes(512);
    form.begin(answer, out);
    return out.toArray();
  }

  /** Returns events with the tokens up to {@code due}; after the last token also the end. */
  byte[] upTo(int due) {
    MockBytes out = new MockBytes(1_024);
    appendUpTo(due, out);
    return out.toArray();
  }

  /** Returns the whole stream. */
  byte[] all() {
    MockBytes out = new MockBytes(4_096);
    form.begin(answer, out);
    appendUpTo(answer.ask().outputTokens(), out);
    return out.toArray();
  }

  private void appendUpTo(int due, MockBytes out) {
    form.tokens(answer, sent, due, out);
    produced.accept(due - sent);
    sent = due;
    if (due == answer.ask().outputTokens()) {
      form.end(answer, out);
    }
  }
}
