package io.penstock.provider.answer;

import java.nio.ByteBuffer;

/**
 * Reader of an answer that it does not read: an HTML page or a file states no usage; bytes in an
 * unrequested encoding that is not supported, such as brotli, are counted as if they were text.
 */
public final class UnreadAnswer extends MeteredAnswer {
  private final boolean countsBytes;

  private UnreadAnswer(boolean countsBytes) {
    super(new UsageMeter(true), new ErrorFinder());
    this.countsBytes = countsBytes;
  }

  /** Returns a reader of an answer that states no usage. */
  public static UnreadAnswer withoutUsage() {
    return new UnreadAnswer(false);
  }

  /** Returns a reader of an answer in an encoding that is not supported. */
  static UnreadAnswer encoded() {
    UnreadAnswer answer = new UnreadAnswer(true);
    answer.usageMeter.warn(
        "the answer is compressed in a way that is not read, its bytes count as output");
    return answer;
  }

  @Override
  public void feed(ByteBuffer bytes) {
    usageMeter.text(countsBytes ? bytes.remaining() : 0);
    bytes.position(bytes.limit());
  }
}
