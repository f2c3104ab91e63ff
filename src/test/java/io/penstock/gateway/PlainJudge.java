package io.penstock.gateway;

import io.penstock.pool.Failure;
import io.penstock.pool.Lesson;
import io.penstock.pool.Tries;
import io.penstock.pool.Upstream;
import io.penstock.pool.Verdict;
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
  Judge judge() {
    return new Judge() {
      @Override
      public Verdict answered(Upstream upstream, Tries tries, Lesson lesson, long now) {
        if (lesson.status() < 400) {
          SUCCESSES.incrementAndGet();
        }
        if (lesson.status() == 429 && tries.rejected() <= 5) {
          upstream.health().shut(now + pauseNanos);
          return Verdict.WAIT;
        }
        return Answer.failed(lesson.status()) && tries.broken() <= 1
            ? Verdict.ELSEWHERE
            : Verdict.PASS;
      }

      @Override
      public Verdict failed(Upstream upstream, Tries tries, Failure failure, long now) {
        return tries.broken() <= 1 ? Verdict.ELSEWHERE : Verdict.PASS;
      }
    };
  }
}
