package io.penstock.provider;

import io.penstock.cost.LimitMeasure;
import io.penstock.pool.ProviderLesson;
import io.penstock.quota.ProviderStatus;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads statements about limits from answers, with one method for each family of providers.
 * Unreadable values are skipped and reported as an oddity: if one header of a limit is garbage, the
 * lesson omits that limit but has the others.
 */
final class AnswerLessons {
  /** Uses the wall clock of this machine, which is needed for resets given as instants. */
  static final AnswerLessons SYSTEM = new AnswerLessons(WallClock.system());

  private final ResetTimes resetTimes;

  AnswerLessons(WallClock clock) {
    this.resetTimes = new ResetTimes(clock);
  }

  /**
   * Reads headers of OpenAI, Azure and compatible providers: {@code x-ratelimit-limit-requests},
   * {@code -remaining-}, {@code -reset-} as Go durations, and the same for tokens. Source: OpenAI's
   * rate-limit guide, "Rate limits in headers".
   */
  ProviderLesson openAi(int status, Function<String, @Nullable String> header, byte[] body) {
    List<ProviderStatus> standings = new ArrayList<>(2);
    boolean readable = openAi(LimitMeasure.REQUESTS, "requests", header, standings);
    readable &= openAi(LimitMeasure.TOKENS, "tokens", header, standings);
    return lesson(status, standings, readable, header, body);
  }

  private boolean openAi(
      LimitMeasure measure,
      String name,
      Function<String, @Nullable String> header,
      List<ProviderStatus> standings) {
    return add(
        measure,
        header.apply("x-ratelimit-limit-" + name),
        header.apply("x-ratelimit-remaining-" + name),
        header.apply("x-ratelimit-reset-" + name),
        resetTimes::goDuration,
        standings);
  }

  /**
   * Reads headers of Anthropic: {@code anthropic-ratelimit-requests-limit}, {@code -remaining},
   * {@code -reset} as instants, and the same for tokens, input tokens and output tokens. Source:
   * Anthropic's page "Rate limits", "Response headers".
   */
  ProviderLesson anthropic(int status, Function<String, @Nullable String> header, byte[] body) {
    List<ProviderStatus> standings = new ArrayList<>(4);
    boolean readable = anthropic(LimitMeasure.REQUESTS, "requests", header, standings);
    readable &= anthropic(LimitMeasure.TOKENS, "tokens", header, standings);
    readable &= anthropic(LimitMeasure.INPUT_TOKENS, "input-tokens", header, standings);
    readable &= anthropic(LimitMeasure.OUTPUT_TOKENS, "output-tokens", header, standings);
    return lesson(status, standings, readable, header, body);
  }

  private boolean anthropic(
      LimitMeasure measure,
      String name,
      Function<String, @Nullable String> header,
      List<ProviderStatus> standings) {
    String prefix = "anthropic-ratelimit-" + name;
    return add(
        measure,
        header.apply(prefix + "-limit"),
        header.apply(prefix + "-remaining"),
        header.apply(prefix + "-reset"),
        resetTimes::instant,
        standings);
  }

  /**
   * Reads errors of Gemini, which has no headers for limits: {@code RetryInfo} and {@code
   * QuotaFailure} in the details of an error. Source: google.rpc's error_details.proto.
   */
  ProviderLesson gemini(int status, Function<String, @Nullable String> header, byte[] body) {
    return lesson(status, List.of(), true, header, body);
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
          status, standings, ProviderStatus.UNSTATED, ProviderLesson.ErrorCause.OTHER, oddity);
    }
    ErrorText error = ErrorText.of(body);
    long retryAfter = retryAfter(header);
    if (retryAfter == ProviderStatus.UNSTATED && error.retryDelay() != null) {
      retryAfter = resetTimes.protobuf(error.retryDelay());
    }
    boolean stated = error.retryDelay() != null || header.apply("retry-after") != null;
    if (oddity == null && retryAfter == ProviderStatus.UNSTATED && stated) {
      oddity = "when to come again cannot be read";
    }
    return new ProviderLesson(status, standings, retryAfter, error.wording(status), oddity);
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
  private static boolean add(
      LimitMeasure measure,
      @Nullable String limit,
      @Nullable String remaining,
      @Nullable String reset,
      ToLongFunction<String> reader,
      List<ProviderStatus> standings) {
    if (limit == null && remaining == null) {
      return true;
    }
    long most = ResetTimes.count(limit);
    long left = ResetTimes.count(remaining);
    long until = reset == null ? ProviderStatus.UNSTATED : reader.applyAsLong(reset);
    boolean garbage =
        (limit != null && most <= 0)
            || (remaining != null && left == ProviderStatus.UNSTATED)
            || (reset != null && until == ProviderStatus.UNSTATED);
    if (!garbage) {
      standings.add(new ProviderStatus(measure, most, left, until));
    }
    return !garbage;
  }
}
