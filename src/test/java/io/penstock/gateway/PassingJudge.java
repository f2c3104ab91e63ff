package io.penstock.gateway;

import io.penstock.gateway.forward.VerdictSource;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.AttemptHistory;
import io.penstock.pool.AttemptVerdict;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Passes on the result of each first attempt and learns nothing from it, for tests of a single
 * attempt: so it does not matter what the upstream of the last test did.
 */
@Configuration(proxyBeanMethods = false)
public class PassingJudge {
  /** The argument that makes a gateway use this class. */
  static final String ARGUMENT = "--spring.main.sources=" + PassingJudge.class.getName();

  @Bean
  VerdictSource judge() {
    return new VerdictSource() {
      @Override
      public AttemptVerdict answered(
          Upstream upstream, AttemptHistory attemptHistory, ProviderLesson lesson, long now) {
        return AttemptVerdict.PASS;
      }

      @Override
      public AttemptVerdict failed(
          Upstream upstream,
          AttemptHistory attemptHistory,
          AttemptFailure failure,
          String cause,
          long now) {
        return AttemptVerdict.PASS;
      }
    };
  }
}
