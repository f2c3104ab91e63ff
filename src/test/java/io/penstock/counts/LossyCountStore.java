package io.penstock.counts;

import io.penstock.sharing.CountStore;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Counts that arrive late, twice, or not at all, at random by a seed; the test sets the time. */
final class LossyCountStore {
  /** Quality of the connection: delays are one-way, in nanoseconds; shares are of 1. */
  record Way(long delayNanos, double lost, double repeated) {
    static Way steady(long delayNanos) {
      return new Way(delayNanos, 0, 0);
    }
  }

  private record Event(long at, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
    }
  }

  private final CountStore store;
  private final Random random;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private Way way;
  private boolean away;
  private long now;
  private long order;

  LossyCountStore(CountStore store, long seed, Way way) {
    this.store = store;
    this.random = new Random(seed);
    this.way = way;
  }

  /** Changes the behaviour; while unreachable, no call is answered. */
  void become(Way next, boolean unreachable) {
    way = next;
    away = unreachable;
  }

  void advance(long to) {
    while (!events.isEmpty() && events.peek().at() <= to) {
      Event event = events.remove();
      now = event.at();
      event.action().run();
    }
    now = to;
  }

  private void later(Runnable action) {
    events.add(new Event(now + way.delayNanos(), order++, action));
  }

  CountStore counts() {
    return this::exchange;
  }

  private CompletionStage<List<CountStore.Count>> exchange(
      String writer, List<CountStore.Count> own) {
    CompletableFuture<List<CountStore.Count>> answer = new CompletableFuture<>();
    if (away || random.nextDouble() < way.lost()) {
      return answer;
    }
    later(() -> applied(writer, own, answer));
    if (random.nextDouble() < way.repeated()) {
      long twice = now + random.nextLong(2_000_000_000L);
      events.add(new Event(twice, order++, () -> store.exchange(writer, own)));
    }
    return answer;
  }

  private void applied(
      String writer, List<CountStore.Count> own, CompletableFuture<List<CountStore.Count>> answer) {
    List<CountStore.Count> others = store.exchange(writer, own).toCompletableFuture().join();
    if (random.nextDouble() >= way.lost()) {
      later(() -> answer.complete(others));
    }
  }
}
