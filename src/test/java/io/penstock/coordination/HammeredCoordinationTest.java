package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many threads use one semaphore, and cancel at random moments. */
class HammeredCoordinationTest {
  private static final int THREADS = 16;
  private static final int ROUNDS = 3_000;
  private static final int SIZE = 3;

  private final ManualAlarm alarm = new ManualAlarm();
  private final MemoryCoordination memory =
      new MemoryCoordination(ObjectBounds.DEFAULT, alarm.ticker, () -> 0, alarm);
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final AtomicInteger passed = new AtomicInteger();

  private void visit(int thread) throws Exception {
    Random random = new Random(thread);
    for (int round = 0; round < ROUNDS; round++) {
      String key = thread + "." + round;
      ClientTurn turn =
          memory.call(
              "it", new ObjectOperation.Acquire(SIZE, key, 0), CoordinationService.FOR_EVER);
      CompletableFuture<ObjectReply> answer = new CompletableFuture<>();
      turn.whenAnswered(answer::complete);
      if (random.nextInt(3) == 0) {
        turn.cancel();
        assertThat(turn.take()).isFalse();
        continue;
      }
      PatientWaits.get(answer);
      if (random.nextInt(5) == 0) {
        turn.cancel(); // it has the answer, but has not taken it
        continue;
      }
      assertThat(turn.take()).isTrue();
      most.accumulateAndGet(inside.incrementAndGet(), Math::max);
      passed.incrementAndGet();
      inside.decrementAndGet();
      ClientTurn release = memory.call("it", new ObjectOperation.Release(key), 0);
      assertThat(release.reply()).isEqualTo(new ObjectReply.Done());
    }
  }

  @Test
  void neverMoreThanThereArePlaces_andNobodyIsForgotten() throws Exception {
    List<Future<?>> threads = new ArrayList<>();
    try (ExecutorService all = Executors.newFixedThreadPool(THREADS)) {
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        threads.add(
            all.submit(
                () -> {
                  visit(thread);
                  return null;
                }));
      }
      for (Future<?> thread : threads) {
        PatientWaits.get(thread);
      }
    }
    assertThat(most.get()).isBetween(1, SIZE);
    assertThat(passed.get()).isGreaterThan(THREADS * ROUNDS / 3);
    assertThat(memory.waiting()).isZero();
    ClientTurn inspected = memory.call("it", new ObjectOperation.Inspect(ObjectKind.SEMAPHORE), 0);
    assertThat(((ObjectReply.Statistics) Objects.requireNonNull(inspected.reply())).statistics())
        .containsEntry("acquired", (long) passed.get())
        .containsEntry("released", (long) passed.get());
  }
}
