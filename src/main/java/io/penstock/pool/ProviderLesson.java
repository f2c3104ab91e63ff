package io.penstock.pool;

import io.penstock.quota.ProviderStatus;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Information in one answer of a provider about its limits and its state.
 *
 * @param status the HTTP status
 * @param statuses the status of each limit that the answer mentions
 * @param retryAfterNanos the time after which the provider allows a retry, ≥ 0, or {@link
 *     ProviderStatus#UNSTATED}
 * @param cause the meaning of its body
 * @param oddity the part that cannot be parsed, without its content, or null
 * @param words the words of an error in lower case, at most {@value #MOST_WORDS} characters; empty
 *     when there are none
 * @param message the message of an error as other people may read it: printable, short, without
 *     what it quotes and what may be a secret; empty when there is none
 */
public record ProviderLesson(
    int status,
    List<ProviderStatus> statuses,
    long retryAfterNanos,
    ErrorCause cause,
    @Nullable String oddity,
    String words,
    String message) {
  /** Creates a lesson without unreadable parts and without words. */
  public ProviderLesson(
      int status, List<ProviderStatus> statuses, long retryAfterNanos, ErrorCause cause) {
    this(status, statuses, retryAfterNanos, cause, null, "");
  }

  /** Creates a lesson without a message. */
  public ProviderLesson(
      int status,
      List<ProviderStatus> statuses,
      long retryAfterNanos,
      ErrorCause cause,
      @Nullable String oddity,
      String words) {
    this(status, statuses, retryAfterNanos, cause, oddity, words, "");
  }

  private static final Pattern USER = Pattern.compile("\\busers?\\b");

  /** Most characters of the words of an error that are kept. */
  public static final int MOST_WORDS = 2_000;

  /** Cause of an error according to its body, as far as the gateway acts on it. */
  public enum ErrorCause {
    /** An unknown cause, or the body was not read. */
    OTHER,
    /** Too many requests or tokens in a short time: waiting helps. */
    RATE,
    /** A quota of a day: waiting helps, but takes long. */
    DAY,
    /** A bill, a spend cap or a plan: waiting does not help. */
    SPENT,
    /** The credential, or the account behind it: waiting does not help. */
    ACCOUNT,
    /** The provider does not know the model, or not any more. */
    MODEL_NOT_FOUND,
    /** The request asks for more than it may, such as too many tokens: it can never pass. */
    TOO_LARGE,
    /** The provider is overloaded. */
    OVERLOADED
  }

  /**
   * The longest time before a retry, in nanoseconds, with which a limit per minute refuses; a
   * longer one is that of another limit, for example of a day.
   */
  private static final long LONGEST_RETRY_NANOS = 120_000_000_000L;

  public ProviderLesson {
    statuses = List.copyOf(statuses);
  }

  /**
   * Returns whether it refuses a request because of a limit per minute that it says nothing about.
   */
  public boolean refusesByUnnamedLimit() {
    boolean explained =
        cause == ErrorCause.RATE
            || (cause == ErrorCause.OTHER && retryAfterNanos != ProviderStatus.UNSTATED);
    return status == 429
        && explained
        && statuses.isEmpty()
        && retryAfterNanos <= LONGEST_RETRY_NANOS;
  }

  /**
   * Returns what its refusal is about by its own words: the pool if nothing is left of a limit, or
   * a model; null when it does not say, or speaks of a user.
   *
   * @param model the upstream's own name of the model
   */
  @Nullable RefusalScope names(String model) {
    if (usedUp()) {
      return RefusalScope.POOL;
    }
    boolean named =
        !namesUser()
            && Pattern.compile(
                    "(?<![\\w.-])" + Pattern.quote(model.toLowerCase(Locale.ROOT)) + "(?![\\w-])")
                .matcher(words)
                .find();
    return named ? RefusalScope.MODEL : null;
  }

  /** Returns whether its words speak of a user: perhaps one of the client's own. */
  boolean namesUser() {
    return USER.matcher(words).find();
  }

  /** Returns whether it states that nothing is left of a limit. */
  boolean usedUp() {
    return statuses.stream().anyMatch(each -> each.remaining() == 0);
  }

  /** Returns its status and its message. */
  public String said() {
    return message.isEmpty() ? String.valueOf(status) : status + " " + message;
  }

  /** Returns the lesson of an answer without any information but its status. */
  public static ProviderLesson silent(int status) {
    return new ProviderLesson(status, List.of(), ProviderStatus.UNSTATED, ErrorCause.OTHER);
  }
}
