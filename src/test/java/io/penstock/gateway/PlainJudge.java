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
 * Judges by the status alone, and learns nothing: 429 waits, five times; what fails goes elsewhere,
 * once. So a test of attempts does not depend on what is known of an upstream.
 */
@Configuration(proxyBeanMethods = false)
public class PlainJudge {
  /** The argument that has a gateway judge so. */
  static final String ARGUMENT = "--spring.main.sources=" + PlainJudge.class.getName();

  /** Pauses that long, in nanoseconds, before what was limited goes again. */
  static volatile long pauseNanos;

  /** How many answers that were no errors it was told of. */
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
