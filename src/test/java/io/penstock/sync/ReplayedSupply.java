package io.penstock.sync;

import io.penstock.quota.MemorySupply;
import io.penstock.quota.Supply;
import java.util.ArrayList;
import java.util.List;

/**
 * A {@link MemorySupply} whose data can be lost, moved to another server, and put back to what it
 * was before: then all that it was told until then is told to a new one.
 */
final class ReplayedSupply {
  private static final long TTL_NANOS = 2_000_000_000L;

  /** What became of the data. */
  private sealed interface Past {}

  private record Began(String run, int server) implements Past {}

  private record Heard(long atMicros, Supply.Round round) implements Past {}

  /** A round of a member of the version before. */
  private record HeardBefore(long atMicros, String member, long number, boolean whole)
      implements Past {}

  /** The data as it was at some time. */
  record Saved(String life, List<Past> past) {}

  private List<Past> past = new ArrayList<>();
  private long nowMicros;
  private int made;
  private String life = "";
  private MemorySupply store = empty();

  /** Begins with nothing: its life has another name. */
  private MemorySupply empty() {
    life = "life " + made++;
    return new MemorySupply(() -> nowMicros * 1_000, TTL_NANOS, life);
  }

  /** Answers a round, as another run when another server answers than before. */
  Supply.Answer round(Supply.Round round, int server, long atMicros) {
    nowMicros = atMicros;
    if (server != lastServer()) {
      tell(new Began("run " + made++, server));
    }
    past.add(new Heard(atMicros, round));
    return store.round(round).toCompletableFuture().join();
  }

  /** Hears a round of a member of the version before. */
  void heardBefore(String member, long number, boolean whole, long atMicros) {
    tell(new HeardBefore(atMicros, member, number, whole));
  }

  private int lastServer() {
    return past.stream()
        .filter(Began.class::isInstance)
        .map(each -> ((Began) each).server())
        .reduce(-1, (before, each) -> each);
  }

  /** Loses all. */
  void lose() {
    past = new ArrayList<>();
    store = empty();
  }

  Saved saved() {
    return new Saved(life, List.copyOf(past));
  }

  /** Has again what it had then, and nothing else. */
  void putBack(Saved saved) {
    lose();
    // a life has its name from the first round on
    if (saved.past().stream().anyMatch(Heard.class::isInstance)) {
      life = saved.life();
      store = new MemorySupply(() -> nowMicros * 1_000, TTL_NANOS, life);
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
      case HeardBefore heard -> {
        nowMicros = heard.atMicros();
        store.roundOfVersionBefore(heard.member(), heard.number(), heard.whole());
      }
    }
  }
}
