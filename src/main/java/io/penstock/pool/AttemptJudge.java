package io.penstock.pool;

import io.penstock.quota.ProviderStatus;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decides after each attempt what happens to the request, and updates the health and the pauses of
 * the upstream. The number of attempts bounds every verdict but {@link AttemptVerdict#PASS}: no
 * request is repeated for ever. Safe from any thread.
 */
final class AttemptJudge {
  /** The lowest status that is an error. */
  static final int ERRORS = 400;

  /** How often a request that was refused because of limits returns to its place in the queue. */
  static final int MAX_REJECTED = 5;

  /** How often a request that the upstream never saw, or was too busy for, is sent again. */
  static final int MAX_UNSENT = 3;

  /** How often a request that the upstream may have processed is sent again. */
  static final int MAX_BROKEN = 1;

  private final UpstreamHealth upstreamHealth;
  private volatile @Nullable UpstreamTrouble upstreamTrouble;

  AttemptJudge(UpstreamHealth upstreamHealth) {
    this.upstreamHealth = upstreamHealth;
  }

  /** Returns whether an answer of that status shows that the upstream works. */
  static boolean works(int status) {
    return switch (status) {
      case 401, 403, 408, 429 -> false;
      default -> status < 500;
    };
  }

  @Nullable UpstreamTrouble trouble() {
    return upstreamTrouble;
  }

  /** Forgets the last trouble: the upstream may be another one. */
  void forget() {
    upstreamTrouble = null;
  }

  /** Records an answer and returns what happens to its request. */
  AttemptVerdict of(
      AttemptHistory attemptHistory, ProviderLesson providerLesson, PoolPause poolPause, long now) {
    int status = providerLesson.status();
    if (status >= ERRORS) {
      note(status + " " + providerLesson.wording().name().toLowerCase(Locale.ROOT), now);
    }
    if (works(status)) {
      poolPause.served();
    }
    return switch (status) {
      case 429 -> throttled(attemptHistory, providerLesson, poolPause, now);
      case 503, 529 -> overloaded(attemptHistory, providerLesson, poolPause, now);
      case 408 -> onceMore(attemptHistory, MAX_BROKEN);
      case 500, 502, 504 -> {
        if (providerLesson.wording() == ProviderLesson.Wording.OVERLOADED) {
          yield overloaded(attemptHistory, providerLesson, poolPause, now);
        }
        upstreamHealth.failed(now);
        yield onceMore(attemptHistory, MAX_BROKEN);
      }
      case 400 -> refused(attemptHistory, providerLesson);
      default -> AttemptVerdict.PASS;
    };
  }

  /**
   * Decides about a refused request. The refusal of an option that the client itself has set is
   * passed on.
   */
  private static AttemptVerdict refused(
      AttemptHistory attemptHistory, ProviderLesson providerLesson) {
    boolean ours =
        providerLesson.wording() == ProviderLesson.Wording.NO_STREAM_USAGE
            && attemptHistory.streamUsage() == AttemptHistory.StreamUsage.ADDED;
    return ours && attemptHistory.repeatable() && attemptHistory.broken() <= MAX_BROKEN
        ? AttemptVerdict.WITHOUT_USAGE
        : AttemptVerdict.PASS;
  }

  private AttemptVerdict throttled(
      AttemptHistory attemptHistory, ProviderLesson providerLesson, PoolPause poolPause, long now) {
    poolPause.countThrottled();
    return switch (providerLesson.wording()) {
      case TOO_LARGE, NO_STREAM_USAGE -> AttemptVerdict.PASS;
      case SPENT -> {
        upstreamHealth.broken(now);
        yield AttemptVerdict.PASS;
      }
      case OVERLOADED -> overloaded(attemptHistory, providerLesson, poolPause, now);
      case RATE, OTHER -> limited(attemptHistory, providerLesson, poolPause, now);
    };
  }

  private AttemptVerdict limited(
      AttemptHistory attemptHistory, ProviderLesson providerLesson, PoolPause poolPause, long now) {
    long reset = reset(providerLesson);
    boolean rate = providerLesson.wording() == ProviderLesson.Wording.RATE;
    if (providerLesson.retryAfterNanos() != ProviderStatus.UNSAID) {
      poolPause.stated(providerLesson.retryAfterNanos(), now);
    } else if (reset != ProviderStatus.UNSAID) {
      poolPause.until(reset, now);
    } else if (poolPause.unexplained(rate, now)) {
      upstreamHealth.broken(now);
      return AttemptVerdict.PASS;
    } else if (!rate) {
      return AttemptVerdict.PASS;
    }
    return attemptHistory.repeatable() && attemptHistory.rejected() <= MAX_REJECTED
        ? AttemptVerdict.WAIT
        : AttemptVerdict.PASS;
  }

  /**
   * Returns the time until the last of the exhausted limits is fully available again, or the first
   * of all limits if none is exhausted.
   */
  private static long reset(ProviderLesson providerLesson) {
    long empty = ProviderStatus.UNSAID;
    long first = ProviderStatus.UNSAID;
    for (ProviderStatus providerStatus : providerLesson.standings()) {
      long reset = providerStatus.resetNanos();
      if (reset == ProviderStatus.UNSAID) {
        continue;
      }
      if (providerStatus.remaining() == 0) {
        empty = Math.max(empty, reset);
      }
      first = first == ProviderStatus.UNSAID ? reset : Math.min(first, reset);
    }
    return empty == ProviderStatus.UNSAID ? first : empty;
  }

  private AttemptVerdict overloaded(
      AttemptHistory attemptHistory, ProviderLesson providerLesson, PoolPause poolPause, long now) {
    poolPause.backOff(Math.max(0, providerLesson.retryAfterNanos()), now);
    upstreamHealth.failed(now);
    return onceMore(attemptHistory, MAX_UNSENT);
  }

  /** Records an attempt without an answer and returns what happens to its request. */
  AttemptVerdict of(AttemptHistory attemptHistory, AttemptFailure attemptFailure, long now) {
    note(attemptFailure.name().toLowerCase(Locale.ROOT), now);
    return switch (attemptFailure) {
      case UNSENT -> {
        upstreamHealth.failed(now);
        yield onceMore(attemptHistory, MAX_UNSENT);
      }
      case BROKEN -> {
        upstreamHealth.failed(now);
        yield onceMore(attemptHistory, MAX_BROKEN);
      }
      case REJECTED -> AttemptVerdict.PASS;
    };
  }

  private static AttemptVerdict onceMore(AttemptHistory attemptHistory, int most) {
    boolean more =
        attemptHistory.repeatable()
            && attemptHistory.broken() <= most
            && attemptHistory.rejected() <= MAX_REJECTED;
    return more ? AttemptVerdict.ELSEWHERE : AttemptVerdict.PASS;
  }

  private void note(String what, long now) {
    upstreamTrouble = new UpstreamTrouble(what, now);
  }
}
