package io.penstock.gateway.forward;

import io.penstock.pool.AttemptFailure;
import io.penstock.pool.AttemptHistory;
import io.penstock.pool.AttemptVerdict;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import org.jspecify.annotations.Nullable;

/** Decides what becomes of an attempt. */
public interface VerdictSource {
  /** Leaves the decision to the upstream itself, which learns from the attempt. */
  VerdictSource UPSTREAM =
      new VerdictSource() {
        @Override
        public AttemptVerdict answered(
            Upstream upstream, AttemptHistory attemptHistory, ProviderLesson lesson, long now) {
          return upstream.judge(attemptHistory, lesson, now);
        }

        @Override
        public AttemptVerdict failed(
            Upstream upstream,
            AttemptHistory attemptHistory,
            AttemptFailure failure,
            String cause,
            long now) {
          return upstream.judge(attemptHistory, failure, cause, now);
        }
      };

  /** Decides about an attempt that got an answer; the client has received nothing of it yet. */
  AttemptVerdict answered(
      Upstream upstream, AttemptHistory attemptHistory, ProviderLesson lesson, long now);

  /**
   * Decides about an attempt without an answer.
   *
   * @param cause why there is none, for operators
   */
  AttemptVerdict failed(
      Upstream upstream,
      AttemptHistory attemptHistory,
      AttemptFailure failure,
      String cause,
      long now);

  /** Listener for attempts that were decided. */
  @FunctionalInterface
  interface AttemptListener {
    /**
     * Called after the decision.
     *
     * @param lesson what the answer taught; null without an answer
     */
    void decided(
        Upstream upstream,
        AttemptHistory attemptHistory,
        @Nullable ProviderLesson lesson,
        long now);
  }

  /** Returns a source of the same verdicts that tells a listener of each. */
  default VerdictSource telling(AttemptListener listener) {
    VerdictSource source = this;
    return new VerdictSource() {
      @Override
      public AttemptVerdict answered(
          Upstream upstream, AttemptHistory attemptHistory, ProviderLesson lesson, long now) {
        AttemptVerdict verdict = source.answered(upstream, attemptHistory, lesson, now);
        listener.decided(upstream, attemptHistory, lesson, now);
        return verdict;
      }

      @Override
      public AttemptVerdict failed(
          Upstream upstream,
          AttemptHistory attemptHistory,
          AttemptFailure failure,
          String cause,
          long now) {
        AttemptVerdict verdict = source.failed(upstream, attemptHistory, failure, cause, now);
        listener.decided(upstream, attemptHistory, null, now);
        return verdict;
      }
    };
  }
}
