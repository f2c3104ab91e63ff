package io.penstock.pool;

import io.penstock.quota.Standing;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decides after each attempt what happens to the request, and updates the health and the pauses of
 * the upstream. The number of attempts bounds every verdict but {@link Verdict#PASS}: no request is
 * repeated for ever. Safe from any thread.
 */
final class Judge {
  /** The lowest status that is an error. */
  static final int ERRORS = 400;

  /** How often a request that was refused because of limits returns to its place in the queue. */
  static final int MAX_REJECTED = 5;

  /** How often a request that the upstream never saw, or was too busy for, is sent again. */
  static final int MAX_UNSENT = 3;

  /** How often a request that the upstream may have processed is sent again. */
  static final int MAX_BROKEN = 1;

  private final Health health;
  private volatile @Nullable Trouble trouble;

  Judge(Health health) {
    this.health = health;
  }

  /** Returns whether an answer of that status shows that the upstream works. */
  static boolean works(int status) {
    return switch (status) {
      case 401, 403, 408, 429 -> false;
      default -> status < 500;
    };
  }

  @Nullable Trouble trouble() {
    return trouble;
  }

  /** Forgets the last trouble: the upstream may be another one. */
  void forget() {
    trouble = null;
  }

  /** Records an answer and returns what happens to its request. */
  Verdict of(Tries tries, Lesson lesson, Pause pause, long now) {
    int status = lesson.status();
    if (status >= ERRORS) {
      note(status + " " + lesson.wording().name().toLowerCase(Locale.ROOT), now);
    }
    if (works(status)) {
      pause.served();
    }
    return switch (status) {
      case 429 -> throttled(tries, lesson, pause, now);
      case 503, 529 -> overloaded(tries, lesson, pause, now);
      case 408 -> onceMore(tries, MAX_BROKEN);
      case 500, 502, 504 -> {
        if (lesson.wording() == Lesson.Wording.OVERLOADED) {
          yield overloaded(tries, lesson, pause, now);
        }
        health.failed(now);
        yield onceMore(tries, MAX_BROKEN);
      }
      case 400 -> refused(tries, lesson);
      default -> Verdict.PASS;
    };
  }

  /**
   * Decides about a refused request. The refusal of an option that the client itself has set is
   * passed on.
   */
  private static Verdict refused(Tries tries, Lesson lesson) {
    boolean ours =
        lesson.wording() == Lesson.Wording.NO_STREAM_USAGE
            && tries.streamUsage() == Tries.StreamUsage.ADDED;
    return ours && tries.repeatable() && tries.broken() <= MAX_BROKEN
        ? Verdict.WITHOUT_USAGE
        : Verdict.PASS;
  }

  private Verdict throttled(Tries tries, Lesson lesson, Pause pause, long now) {
    pause.countThrottled();
    return switch (lesson.wording()) {
      case TOO_LARGE, NO_STREAM_USAGE -> Verdict.PASS;
      case SPENT -> {
        health.broken(now);
        yield Verdict.PASS;
      }
      case OVERLOADED -> overloaded(tries, lesson, pause, now);
      case RATE, OTHER -> limited(tries, lesson, pause, now);
    };
  }

  private Verdict limited(Tries tries, Lesson lesson, Pause pause, long now) {
    long reset = reset(lesson);
    boolean rate = lesson.wording() == Lesson.Wording.RATE;
    if (lesson.retryAfterNanos() != Standing.UNSAID) {
      pause.stated(lesson.retryAfterNanos(), now);
    } else if (reset != Standing.UNSAID) {
      pause.until(reset, now);
    } else if (pause.unexplained(rate, now)) {
      health.broken(now);
      return Verdict.PASS;
    } else if (!rate) {
      return Verdict.PASS;
    }
    return tries.repeatable() && tries.rejected() <= MAX_REJECTED ? Verdict.WAIT : Verdict.PASS;
  }

  /**
   * Returns the time until the last of the exhausted limits is fully available again, or the first
   * of all limits if none is exhausted.
   */
  private static long reset(Lesson lesson) {
    long empty = Standing.UNSAID;
    long first = Standing.UNSAID;
    for (Standing standing : lesson.standings()) {
      long reset = standing.resetNanos();
      if (reset == Standing.UNSAID) {
        continue;
      }
      if (standing.remaining() == 0) {
        empty = Math.max(empty, reset);
      }
      first = first == Standing.UNSAID ? reset : Math.min(first, reset);
    }
    return empty == Standing.UNSAID ? first : empty;
  }

  private Verdict overloaded(Tries tries, Lesson lesson, Pause pause, long now) {
    pause.backOff(Math.max(0, lesson.retryAfterNanos()), now);
    health.failed(now);
    return onceMore(tries, MAX_UNSENT);
  }

  /** Records an attempt without an answer and returns what happens to its request. */
  Verdict of(Tries tries, Failure failure, long now) {
    note(failure.name().toLowerCase(Locale.ROOT), now);
    return switch (failure) {
      case UNSENT -> {
        health.failed(now);
        yield onceMore(tries, MAX_UNSENT);
      }
      case BROKEN -> {
        health.failed(now);
        yield onceMore(tries, MAX_BROKEN);
      }
      case REJECTED -> Verdict.PASS;
    };
  }

  private static Verdict onceMore(Tries tries, int most) {
    boolean more = tries.repeatable() && tries.broken() <= most && tries.rejected() <= MAX_REJECTED;
    return more ? Verdict.ELSEWHERE : Verdict.PASS;
  }

  private void note(String what, long now) {
    trouble = new Trouble(what, now);
  }
}
