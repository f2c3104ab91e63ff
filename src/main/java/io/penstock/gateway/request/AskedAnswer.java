package io.penstock.gateway.request;

import io.penstock.cost.TokenUsage;
import io.penstock.key.ApiCaller;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.answer.BackgroundMark;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An earlier answer that a client asks for, read as its bytes pass. Its usage is that of another
 * request. Not thread-safe.
 */
final class AskedAnswer {
  private final String id;
  private final AnswerReader reader;
  private final BackgroundMark mark;

  AskedAnswer(String id, AnswerReader reader, BackgroundMark mark) {
    this.id = id;
    this.reader = reader;
    this.mark = mark;
  }

  /** Returns the reader of the answer to a call, or null if that asks for no earlier answer. */
  static @Nullable AskedAnswer of(
      ProviderCall call, @Nullable String contentType, @Nullable String contentEncoding) {
    String id = call.reader().askedAnswer(call.path());
    return id == null
        ? null
        : new AskedAnswer(
            id,
            call.reader().answerReader(contentType, contentEncoding),
            new BackgroundMark(contentType, contentEncoding));
  }

  /** Reads {@code bytes} without changing their position. */
  void feed(ByteBuffer bytes) {
    reader.feed(bytes.duplicate());
    mark.feed(bytes.duplicate());
  }

  /**
   * Charges the usage that was read.
   *
   * @param asks the key of the client that asks, or null
   */
  void settle(LateUsage lateUsage, @Nullable ApiCaller asks, long unixMillis, long now) {
    TokenUsage usage = reader.usage();
    if (usage != null) {
      LateUsage.Payer payer = LateUsage.Payer.of(asks, reader.model());
      boolean mayBeNew = mark.mayBeOfTheLastDay(unixMillis);
      lateUsage.stated(id, payer, mayBeNew, usage, reader.textTokens(), now);
    }
    reader.close();
    mark.close();
  }
}
