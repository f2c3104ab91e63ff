package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RecentEntriesTest {
  @Test
  void oneTooMany_hasTheTenthTouchedLongestAgoForgotten() {
    RecentEntries<Integer, AtomicInteger> recentEntries =
        new RecentEntries<>(100, AtomicInteger::new);
    for (int i = 0; i < 100; i++) {
      recentEntries.touch(i).set(i);
    }
    assertThat(recentEntries.size()).isEqualTo(100);
    recentEntries.touch(0);
    recentEntries.touch(100);
    assertThat(recentEntries.size()).isEqualTo(90);
    assertThat(recentEntries.find(0)).hasValue(0);
    assertThat(recentEntries.find(1)).isNull();
    assertThat(recentEntries.find(11)).isNull();
    assertThat(recentEntries.find(12)).hasValue(12);
    assertThat(recentEntries.find(100)).hasValue(0);
  }

  @Test
  void roomForOne_isOfTheLast() {
    RecentEntries<Integer, AtomicInteger> recentEntries =
        new RecentEntries<>(1, AtomicInteger::new);
    recentEntries.touch(1);
    recentEntries.touch(2);
    assertThat(recentEntries.find(1)).isNull();
    assertThat(recentEntries.find(2)).hasValue(0);
  }

  @Test
  void threadsThatAddAtOnce_neverPassTheBound() throws Exception {
    RecentEntries<Integer, AtomicInteger> recentEntries =
        new RecentEntries<>(50, AtomicInteger::new);
    AtomicInteger most = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int from = 1_000 * t;
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < 1_000; i++) {
                      recentEntries.touch(from + i).incrementAndGet();
                      most.accumulateAndGet(recentEntries.size(), Math::max);
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(most.get()).isBetween(45, 50);
  }

  @Test
  void whoAddsWhatAnotherIsAdding_getsWhatThatOneAdds() throws Exception {
    CompletableFuture<Void> adding = new CompletableFuture<>();
    CompletableFuture<Void> added = new CompletableFuture<>();
    AtomicInteger made = new AtomicInteger();
    RecentEntries<String, Integer> recentEntries =
        new RecentEntries<>(
            10,
            () -> {
              adding.complete(null);
              added.join();
              return made.incrementAndGet();
            });
    List<Integer> got = Collections.synchronizedList(new ArrayList<>());
    Thread first = Thread.ofPlatform().start(() -> got.add(recentEntries.touch("a")));
    adding.join();
    Thread second = Thread.ofPlatform().start(() -> got.add(recentEntries.touch("a")));
    while (second.isAlive() && second.getState() != Thread.State.BLOCKED) {
      Thread.onSpinWait();
    }
    added.complete(null);
    first.join();
    second.join();
    assertThat(got).containsExactly(1, 1);
  }
}
