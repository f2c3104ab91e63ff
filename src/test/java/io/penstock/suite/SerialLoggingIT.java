package io.penstock.suite;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.penstock.fake.PatientWaits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.logging.LoggingInitializationContext;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.core.env.StandardEnvironment;

@Tag(TaggedTests.READS_LOG) // sets up the log of its JVM, so no other test may read it there
class SerialLoggingIT {
  private static final int THREADS = 4;
  private static final int ROUNDS = 100;

  @Test
  void manyGatewaysSetUpTheLogAtOnce_andAllOfThemCan() throws Exception {
    CyclicBarrier together = new CyclicBarrier(THREADS);
    List<Future<Void>> all = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(THREADS)) {
      for (int i = 0; i < THREADS; i++) {
        all.add(executor.submit(() -> setUpAgainAndAgain(together)));
      }
    }
    for (Future<Void> one : all) {
      assertThatCode(one::get).doesNotThrowAnyException();
    }
  }

  private static Void setUpAgainAndAgain(CyclicBarrier together) throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      together.await(PatientWaits.LONGEST_MILLIS, TimeUnit.MILLISECONDS);
      LoggingSystem logging = LoggingSystem.get(SerialLoggingIT.class.getClassLoader());
      logging.beforeInitialize();
      logging.initialize(new LoggingInitializationContext(new StandardEnvironment()), null, null);
      logging.cleanUp();
    }
    return null;
  }
}
