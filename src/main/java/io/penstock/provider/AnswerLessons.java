package io.penstock.provider;

import io.penstock.pool.ProviderLesson;
import io.penstock.quota.ProviderStatus;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads statements about limits from answers: headers, and the details of errors. Unreadable values
 * are skipped and reported as an oddity: if one header of a limit is garbage, the lesson omits that
 * limit but has the others.
 */
final class AnswerLessons {
  /** Uses the wall clock of this machine, which is needed for resets given as instants. */
  static final AnswerLessons SYSTEM = new AnswerLessons(WallClock.system());

  /**
   * Headers that state the end of the window of a limit, in seconds or as an instant: those of
   * Anthropic's subscriptions, and of OpenRouter and others.
   */
  private static final List<String> RESETS =
      List.of("anthropic-ratelimit-unified-reset", "x-ratelimit-reset");

  private final ResetTimes resetTimes;

  AnswerLessons(WallClock clock) {
    this.resetTimes = new ResetTimes(clock);
  }

  /**
   * Reads an answer.
   *
   * @param headers the headers that may state limits
   * @param header returns the value of a header of the answer, or null
   * @param body the beginning of an error's body, decoded
   */
  ProviderLesson lesson(
      List<LimitHeader> headers,
      int status,
      Function<String, @Nullable String> header,
      byte[] body) {
    List<ProviderStatus> standings = new ArrayList<>(headers.size());
    boolean readable = true;
    for (LimitHeader each : headers) {
      readable &= add(each, header, standings);
    }
    return lesson(status, standings, readable, header, body);
  }

  private ProviderLesson lesson(
      int status,
      List<ProviderStatus> standings,
      boolean readable,
      Function<String, @Nullable String> header,
      byte[] body) {
    String oddity = readable ? null : "a header about its limits cannot be read";
    if (status < 400) {
      return new ProviderLesson(
          status, standings, ProviderStatus.UNSTATED, ProviderLesson.ErrorCause.OTHER, oddity, "");
    }
    ErrorText error = ErrorText.of(body);
    long retryAfter = retryAfter(header);
    if (retryAfter == ProviderStatus.UNSTATED && error.retryDelay() != null) {
      retryAfter = resetTimes.retryDuration(error.retryDelay());
    }
    boolean stated = error.retryDelay() != null || header.apply("retry-after") != null;
    if (retryAfter == ProviderStatus.UNSTATED && !stated && status == 429) {
      retryAfter = reset(header);
    }
    if (oddity == null && retryAfter == ProviderStatus.UNSTATED && stated) {
      oddity = "when to come again cannot be read";
    }
    return new ProviderLesson(
        status,
        standings,
        retryAfter,
        error.wording(status),
        oddity,
        error.words(),
        error.message());
  }

  /** Returns the time that headers state which only tell when a window ends. */
  private long reset(Function<String, @Nullable String> header) {
    for (String name : RESETS) {
      String text = header.apply(name);
      long nanos = text == null ? ProviderStatus.UNSTATED : resetTimes.secondsOrDate(text);
      if (nanos != ProviderStatus.UNSTATED) {
        return nanos;
      }
    }
    return ProviderStatus.UNSTATED;
  }

  private long retryAfter(Function<String, @Nullable String> header) {
    String millis = header.apply("retry-after-ms");
    long exact = millis == null ? ProviderStatus.UNSTATED : resetTimes.millis(millis);
    String coarse = header.apply("retry-after");
    return exact == ProviderStatus.UNSTATED && coarse != null
        ? resetTimes.secondsOrDate(coarse)
        : exact;
  }

  /** Adds a limit's standing; returns false if its headers are unreadable. */
  private boolean add(
      LimitHeader names,
      Function<String, @Nullable String> header,
      List<ProviderStatus> standings) {
    String limit = header.apply(names.limit());
    String remaining = header.apply(names.remaining());
    if (limit == null && remaining == null) {
      return true;
    }
    String reset = names.reset() == null ? null : header.apply(names.reset());
    long most = ResetTimes.count(limit);
    long left = ResetTimes.count(remaining);
    long until = reset == null ? ProviderStatus.UNSTATED : names.form().nanos(resetTimes, reset);
    boolean garbage =
        (limit != null && most <= 0)
            || (remaining != null && left == ProviderStatus.UNSTATED)
            || (reset != null && until == ProviderStatus.UNSTATED);
    if (!garbage) {
      standings.add(new ProviderStatus(names.measure(), most, left, until));
    }
    return !garbage;
  }
}
