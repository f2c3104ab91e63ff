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

  /** How long nothing is sent once a quota of a day is used up and the answer states no time. */
  private static final long DAY_TRY_NANOS = 300_000_000_000L;

  private final UpstreamHealth upstreamHealth;
  private volatile @Nullable UpstreamTrouble upstreamTrouble;

  /** The provider's words about the account when it was refused last, or null. */
  private volatile @Nullable String refusal;

  AttemptJudge(UpstreamHealth upstreamHealth) {
    this.upstreamHealth = upstreamHealth;
  }

  /** Returns whether an answer of that status shows that the upstream works. */
  static boolean works(int status) {
    return switch (status) {
      case 401, 402, 403, 408, 429 -> false;
      default -> status < 500;
    };
  }

  @Nullable UpstreamTrouble trouble() {
    return upstreamTrouble;
  }

  /** Returns the provider's words while the account is refused, or null. */
  @Nullable String refusal() {
    return upstreamHealth.isRefused() ? refusal : null;
  }

  /** Forgets the last trouble: the upstream may be another one. */
  void forget() {
    upstreamTrouble = null;
    refusal = null;
  }

  private static boolean refusesAdditions(AttemptHistory attemptHistory) {
    return attemptHistory.repeatable() && !attemptHistory.additions().refused().isEmpty();
  }

  /** Returns whether an answer refuses a request because of limits or load, which may pass. */
  static boolean limits(AttemptHistory attemptHistory, ProviderLesson lesson) {
    ProviderLesson.ErrorCause cause = lesson.cause();
    if (refusesAdditions(attemptHistory)) {
      return false;
    }
    return switch (lesson.status()) {
      case 429 ->
          !attemptHistory.ownCredentials()
              && switch (cause) {
                case TOO_LARGE, SPENT, ACCOUNT, MODEL_NOT_FOUND -> false;
                case OVERLOADED, RATE, DAY, OTHER -> true;
              };
      case 503, 529 -> !attemptHistory.upgrade();
      case 500, 502, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530 ->
          cause == ProviderLesson.ErrorCause.OVERLOADED && !attemptHistory.upgrade();
      default -> false;
    };
  }

  /**
   * Records an answer and returns what happens to its request.
   *
   * @param pause the pause of what the answer is about
   */
  AttemptVerdict of(
      AttemptHistory attemptHistory, ProviderLesson lesson, PoolPause pause, long now) {
    int status = lesson.status();
    if (refusesAdditions(attemptHistory)) {
      return AttemptVerdict.WITHOUT; // it says nothing about the upstream's state
    }
    if (status >= ERRORS && !upstreamHealth.isRefused()) {
      note(status + " " + lesson.cause().name().toLowerCase(Locale.ROOT), now);
    }
    if (attemptHistory.upgrade() && status != 429) {
      return AttemptVerdict.PASS; // the upstream need not serve WebSockets
    }
    return switch (status) {
      case 429 -> throttled(attemptHistory, lesson, pause, now);
      case 503, 529 -> overloaded(attemptHistory, lesson, pause, now);
      case 408 -> onceMore(attemptHistory, MAX_BROKEN);
      // from 520 on: Cloudflare could not get an answer from the server behind it
      case 500, 502, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530 -> {
        if (lesson.cause() == ProviderLesson.ErrorCause.OVERLOADED) {
          yield overloaded(attemptHistory, lesson, pause, now);
        }
        upstreamHealth.failed(attemptHistory.tenant(), now);
        yield onceMore(attemptHistory, MAX_BROKEN);
      }
      default -> AttemptVerdict.PASS;
    };
  }

  /**
   * Records an answer that refuses the gateway's account. One that says so although it has the
   * status of a limit is enough, because no request alone provokes it.
   */
  AttemptVerdict accountRefused(AttemptHistory attemptHistory, ProviderLesson lesson, long now) {
    refusal = lesson.said();
    note("account refused: " + refusal, now);
    if (lesson.status() == 429 && !lesson.namesUser()) {
      upstreamHealth.refused(now);
    } else {
      upstreamHealth.refused(attemptHistory.tenant(), now);
    }
    return attemptHistory.upgrade() ? AttemptVerdict.PASS : AttemptVerdict.OTHER_ACCOUNT;
  }

  private AttemptVerdict throttled(
      AttemptHistory attemptHistory, ProviderLesson lesson, PoolPause pause, long now) {
    if (attemptHistory.ownCredentials()) {
      return AttemptVerdict.PASS; // other clients have accounts of their own
    }
    return switch (lesson.cause()) {
      case TOO_LARGE, SPENT, ACCOUNT, MODEL_NOT_FOUND -> AttemptVerdict.PASS;
      case OVERLOADED -> overloaded(attemptHistory, lesson, pause, now);
      case RATE, DAY, OTHER -> limited(attemptHistory, lesson, pause, now);
    };
  }

  private AttemptVerdict limited(
      AttemptHistory attemptHistory, ProviderLesson lesson, PoolPause pause, long now) {
    long reset = reset(lesson);
    // a request that only tried whether a pause is over comes back, however often that happens
    boolean tries = pause.isTried(now);
    if (lesson.retryAfterNanos() != ProviderStatus.UNSTATED) {
      pause.stated(lesson.retryAfterNanos(), now);
    } else if (reset != ProviderStatus.UNSTATED) {
      pause.until(reset, now);
    } else if (lesson.cause() == ProviderLesson.ErrorCause.DAY) {
      pause.stated(DAY_TRY_NANOS, now);
    } else if (!tries) {
      pause.backOff(0, now);
    }
    return attemptHistory.repeatable() && (tries || attemptHistory.rejected() <= MAX_REJECTED)
        ? AttemptVerdict.WAIT
        : AttemptVerdict.PASS;
  }

  /**
   * Returns the time until the last of the exhausted limits is fully available again, or the first
   * of all limits if none is exhausted.
   */
  private static long reset(ProviderLesson lesson) {
    long empty = ProviderStatus.UNSTATED;
    long first = ProviderStatus.UNSTATED;
    for (ProviderStatus providerStatus : lesson.statuses()) {
      long reset = providerStatus.resetNanos();
      if (reset == ProviderStatus.UNSTATED) {
        continue;
      }
      if (providerStatus.remaining() == 0) {
        empty = Math.max(empty, reset);
      }
      first = first == ProviderStatus.UNSTATED ? reset : Math.min(first, reset);
    }
    return empty == ProviderStatus.UNSTATED ? first : empty;
  }

  private AttemptVerdict overloaded(
      AttemptHistory attemptHistory, ProviderLesson lesson, PoolPause pause, long now) {
    pause.backOff(Math.max(0, lesson.retryAfterNanos()), now);
    upstreamHealth.failed(attemptHistory.tenant(), now);
    return onceMore(attemptHistory, MAX_UNSENT);
  }

  /** Records an attempt without an answer and returns what happens to its request. */
  AttemptVerdict of(AttemptHistory attemptHistory, AttemptFailure failure, String cause, long now) {
    note(cause, now);
    return switch (failure) {
      case UNSENT -> {
        upstreamHealth.failed(now);
        yield onceMore(attemptHistory, MAX_UNSENT);
      }
      case BROKEN -> {
        broken(attemptHistory, now);
        yield onceMore(attemptHistory, MAX_BROKEN);
      }
      case REJECTED, REFUSED -> AttemptVerdict.PASS;
    };
  }

  private void broken(AttemptHistory attemptHistory, long now) {
    if (attemptHistory.upgrade()) {
      return; // the upstream need not serve WebSockets
    }
    if (attemptHistory.timedOut()) {
      upstreamHealth.failed(attemptHistory.tenant(), now);
    } else {
      upstreamHealth.failed(now);
    }
  }

  private static AttemptVerdict onceMore(AttemptHistory attemptHistory, int most) {
    boolean more =
        attemptHistory.repeatable()
            && attemptHistory.broken() <= most
            && attemptHistory.rejected() <= MAX_REJECTED;
    return more ? AttemptVerdict.ELSEWHERE : AttemptVerdict.PASS;
  }

  /** Records the last trouble. */
  void note(String what, long now) {
    upstreamTrouble = new UpstreamTrouble(what, now);
  }
}
