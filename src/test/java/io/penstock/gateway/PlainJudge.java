package io.penstock.gateway;

import io.penstock.gateway.forward.VerdictSource;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.AttemptHistory;
import io.penstock.pool.AttemptVerdict;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Decides by the status alone and learns nothing: a request with a 429 waits, at most five times; a
 * request that failed goes to another upstream, once. So a test of attempts does not depend on what
 * is known about an upstream.
 */
@Configuration(proxyBeanMethods = false)
public class PlainJudge {
  /** The argument that makes a gateway use this class. */
  static final String ARGUMENT = "--spring.main.sources=" + PlainJudge.class.getName();

  /** Pause in nanoseconds before a request with a 429 is sent again. */
  static volatile long pauseNanos;

  /** Number of answers so far that were no errors. */
  static final AtomicInteger SUCCESSES = new AtomicInteger();

  @Bean
  VerdictSource judge() {
    return new VerdictSource() {
      @Override
      public AttemptVerdict answered(
          Upstream upstream, AttemptHistory attemptHistory, ProviderLesson lesson, long now) {
        if (lesson.status() < 400) {
          SUCCESSES.incrementAndGet();
        }
        if (lesson.status() == 429 && attemptHistory.rejected() <= 5) {
          upstream.health().shut(now + pauseNanos);
          return AttemptVerdict.WAIT;
        }
        int status = lesson.status();
        boolean failed = status == 408 || (status >= 500 && status != 503 && status != 529);
        return failed && attemptHistory.broken() <= 1
            ? AttemptVerdict.ELSEWHERE
            : AttemptVerdict.PASS;
      }

      @Override
      public AttemptVerdict failed(
          Upstream upstream,
          AttemptHistory attemptHistory,
          AttemptFailure failure,
          String cause,
          long now) {
        return attemptHistory.broken() <= 1 ? AttemptVerdict.ELSEWHERE : AttemptVerdict.PASS;
      }
    };
  }
}
