package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.ConfigurationReloader;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.test.StepVerifier;

class ReloadHandlerTest {
  @Test
  void reloadDuringAnother_isRefused_theNextOneRuns() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    AtomicInteger reloads = new AtomicInteger();
    ReloadHandler handler =
        new ReloadHandler(
            () -> {
              reloads.incrementAndGet();
              started.countDown();
              await(finish);
              return new ConfigurationReloader.Result.Applied(1, List.of());
            });
    StepVerifier first =
        StepVerifier.create(handler.reload().map(ServerResponse::statusCode))
            .expectNext(HttpStatus.OK)
            .expectComplete()
            .verifyLater();
    started.await();
    answers(handler, HttpStatus.CONFLICT);
    finish.countDown();
    first.verify();
    answers(handler, HttpStatus.OK);
    assertThat(reloads).hasValue(2);
  }

  private static void answers(ReloadHandler handler, HttpStatus status) {
    StepVerifier.create(handler.reload().map(ServerResponse::statusCode))
        .expectNext(status)
        .verifyComplete();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
