package io.penstock.gateway;

import io.penstock.pool.Failure;
import io.penstock.pool.Lesson;
import io.penstock.pool.Tries;
import io.penstock.pool.Upstream;
import io.penstock.pool.Verdict;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Passes on whatever comes of the first attempt, and learns nothing of it: for tests of what one
 * attempt does, whatever the last test's upstream did.
 */
@Configuration(proxyBeanMethods = false)
public class PassingJudge {
  /** The argument that has a gateway judge so. */
  static final String ARGUMENT = "--spring.main.sources=" + PassingJudge.class.getName();

  @Bean
  Judge judge() {
    return new Judge() {
      @Override
      public Verdict answered(Upstream upstream, Tries tries, Lesson lesson, long now) {
        return Verdict.PASS;
      }

      @Override
      public Verdict failed(Upstream upstream, Tries tries, Failure failure, long now) {
        return Verdict.PASS;
      }
    };
  }
}
