package io.penstock.slices;

import io.penstock.sharing.MemorySliceStore;
import io.penstock.sharing.SliceStore;
import java.util.ArrayList;
import java.util.List;

/**
 * A {@link MemorySliceStore} that can lose its data, move it to another server, and restore an
 * earlier state. To restore a state, it replays all earlier rounds to a new supply.
 */
final class ReplayedSliceStore {
  private static final long TTL_NANOS = 2_000_000_000L;

  /** Event in the history of the data. */
  private sealed interface Past {}

  private record Began(String run, int server) implements Past {}

  private record Heard(long atMicros, SliceStore.Round round) implements Past {}

  /** Earlier state of the data. */
  record Saved(String life, List<Past> past) {}

  private List<Past> past = new ArrayList<>();
  private long nowMicros;
  private int made;
  private String life = "";
  private MemorySliceStore store = empty();

  /** Returns a supply without data, and a new name for its life. */
  private MemorySliceStore empty() {
    life = "life " + made++;
    return new MemorySliceStore(() -> nowMicros * 1_000, TTL_NANOS, life);
  }

  /** Answers a round; a change of server is a new run. */
  SliceStore.Answer round(SliceStore.Round round, int server, long atMicros) {
    nowMicros = atMicros;
    if (server != lastServer()) {
      tell(new Began("run " + made++, server));
    }
    past.add(new Heard(atMicros, round));
    return store.round(round).toCompletableFuture().join();
  }

  private int lastServer() {
    return past.stream()
        .filter(Began.class::isInstance)
        .map(each -> ((Began) each).server())
        .reduce(-1, (before, each) -> each);
  }

  /** Loses all data. */
  void lose() {
    past = new ArrayList<>();
    store = empty();
  }

  Saved saved() {
    return new Saved(life, List.copyOf(past));
  }

  /** Restores exactly the earlier state. */
  void putBack(Saved saved) {
    lose();
    // a life has its name from the first round on
    if (saved.past().stream().anyMatch(Heard.class::isInstance)) {
      life = saved.life();
      store = new MemorySliceStore(() -> nowMicros * 1_000, TTL_NANOS, life);
    }
    saved.past().forEach(this::tell);
  }

  private void tell(Past each) {
    past.add(each);
    switch (each) {
      case Began began -> store.restart(began.run());
      case Heard heard -> {
        nowMicros = heard.atMicros();
        store.round(heard.round()).toCompletableFuture().join();
      }
    }
  }
}
