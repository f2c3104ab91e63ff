package io.penstock.region;

import io.penstock.sharing.CountStore;
import io.penstock.sharing.DenialStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The database as one region of an {@link Ocean} sees it: rows of other regions arrive with a
 * delay.
 */
final class Replica implements CountStore, DenialStore {
  private record Cell(Object limit, long cell) {}

  private final Ocean ocean;
  private final Map<Cell, Map<String, Count>> counts = new HashMap<>();
  private final Map<String, Denial> denials = new TreeMap<>();

  /** While true, no request is answered, and nothing is written. */
  boolean down;

  Replica(Ocean ocean) {
    this.ocean = ocean;
  }

  private <T> CompletionStage<T> answer(T what) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    if (!down) {
      ocean.after(ocean.random.nextLong(Ocean.ROUND_TRIP), () -> answer.complete(what));
    }
    return answer;
  }

  @Override
  public CompletionStage<List<Count>> exchange(String writer, List<Count> own) {
    if (down) {
      return new CompletableFuture<>();
    }
    if (ocean.counts) {
      own.forEach(count -> ocean.replicate(writer, to -> to.add(writer, count)));
    }
    List<Count> others = new ArrayList<>();
    counts.forEach(
        (cell, regions) -> {
          long sum =
              regions.entrySet().stream()
                  .filter(each -> !each.getKey().equals(writer))
                  .mapToLong(each -> each.getValue().amount())
                  .sum();
          if (sum > 0) {
            others.add(new Count(regions.values().iterator().next().id(), cell.cell(), sum));
          }
        });
    return answer(others);
  }

  private void add(String region, Count count) {
    counts
        .computeIfAbsent(new Cell(count.id(), count.cell()), none -> new HashMap<>())
        .merge(region, count, (a, b) -> a.amount() >= b.amount() ? a : b);
  }

  /** Returns the counts that a region itself has published. */
  CompletionStage<List<Count>> of(String region) {
    List<Count> own = new ArrayList<>();
    counts.values().stream()
        .filter(each -> each.containsKey(region))
        .forEach(each -> own.add(each.get(region)));
    return answer(own);
  }

  @Override
  public CompletionStage<Void> publish(String region, List<Denial> denied) {
    if (!down) {
      denied.forEach(
          denial -> ocean.replicate(region, to -> to.denials.putIfAbsent(region + denial, denial)));
    }
    return answer(denied).thenAccept(done -> {});
  }

  @Override
  public CompletionStage<Page> since(String region, long cursor) {
    List<Denial> others =
        denials.entrySet().stream()
            .filter(each -> !each.getKey().startsWith(region + "Denial"))
            .map(Map.Entry::getValue)
            .toList();
    return answer(new Page(others, cursor + 1));
  }
}
