package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RecentEntriesTest {
  @Test
  void oneTooMany_hasTheTenthTouchedLongestAgoForgotten() {
    RecentEntries<Integer, AtomicInteger> recent = new RecentEntries<>(100, AtomicInteger::new);
    for (int i = 0; i < 100; i++) {
      recent.touch(i).set(i);
    }
    assertThat(recent.size()).isEqualTo(100);
    recent.touch(0);
    recent.touch(100);
    assertThat(recent.size()).isEqualTo(90);
    assertThat(recent.find(0)).hasValue(0);
    assertThat(recent.find(1)).isNull();
    assertThat(recent.find(11)).isNull();
    assertThat(recent.find(12)).hasValue(12);
    assertThat(recent.find(100)).hasValue(0);
  }

  @Test
  void ownerOfMany_losesItsOwn_andOthersKeepTheirs() {
    RecentEntries<String, AtomicInteger> recent = new RecentEntries<>(100, AtomicInteger::new);
    for (int i = 0; i < RecentEntries.SHARE; i++) {
      recent.touch("a" + i, "alice").set(1);
    }
    for (int i = 0; i < 1_000; i++) {
      recent.touch("m" + i, "mallory").set(1);
    }
    assertThat(recent.size()).isBetween(90, 100);
    for (int i = 0; i < RecentEntries.SHARE; i++) {
      assertThat(recent.find("a" + i)).hasValue(1);
    }
    assertThat(recent.find("m999")).hasValue(1);
    assertThat(recent.find("m0")).isNull();
  }

  @Test
  void ownersOfFew_giveWayByAge_whoeverTheyAre() {
    RecentEntries<Integer, AtomicInteger> recent = new RecentEntries<>(100, AtomicInteger::new);
    for (int i = 0; i < 100; i++) {
      recent.touch(i, "owner " + i % 50);
    }
    recent.touch(100, "new");
    assertThat(recent.find(10)).isNull();
    assertThat(recent.find(11)).hasValue(0);
  }

  @Test
  void equalOwnersOfMany_giveWayAlike() {
    RecentEntries<Integer, AtomicInteger> recent = new RecentEntries<>(100, AtomicInteger::new);
    for (int i = 0; i < 100; i++) {
      recent.touch(i, i < 50 ? "early" : "late");
    }
    recent.touch(100, "new");
    long early = IntStream.range(0, 50).filter(i -> recent.find(i) != null).count();
    assertThat(early).isBetween(44L, 45L);
    assertThat(recent.size()).isEqualTo(90);
  }

  @Test
  void roomForOne_isOfTheLast() {
    RecentEntries<Integer, AtomicInteger> recent = new RecentEntries<>(1, AtomicInteger::new);
    recent.touch(1);
    recent.touch(2);
    assertThat(recent.find(1)).isNull();
    assertThat(recent.find(2)).hasValue(0);
  }

  @Test
  void threadsThatAddAtOnce_neverPassTheBound() throws Exception {
    RecentEntries<Integer, AtomicInteger> recent = new RecentEntries<>(50, AtomicInteger::new);
    AtomicInteger most = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int from = 1_000 * t;
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < 1_000; i++) {
                      recent.touch(from + i).incrementAndGet();
                      most.accumulateAndGet(recent.size(), Math::max);
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
    RecentEntries<String, Integer> recent =
        new RecentEntries<>(
            10,
            () -> {
              adding.complete(null);
              added.join();
              return made.incrementAndGet();
            });
    List<Integer> got = Collections.synchronizedList(new ArrayList<>());
    Thread first = Thread.ofPlatform().start(() -> got.add(recent.touch("a")));
    adding.join();
    Thread second = Thread.ofPlatform().start(() -> got.add(recent.touch("a")));
    while (second.isAlive() && second.getState() != Thread.State.BLOCKED) {
      Thread.onSpinWait();
    }
    added.complete(null);
    first.join();
    second.join();
    assertThat(got).containsExactly(1, 1);
  }
}
