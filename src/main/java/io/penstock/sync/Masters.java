package io.penstock.sync;

import io.penstock.quota.Supply.Member;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The lives of all masters as one: a loss of one of them is a loss of the store, because a limit
 * may be on any. One that is silent while others answer is no loss yet: it is waited for as long as
 * {@code quietNanos}, and counts with what it said last; after that the others go on without it,
 * and its return is a loss, because nobody was heard there meanwhile. Safe from any thread.
 */
final class Masters {
  /**
   * What one master says.
   *
   * @param name which life of it
   * @param count of the rounds it answered
   * @param clockMicros its clock
   * @param silentMicros for how long nothing was heard of each member
   */
  record Life(String name, long count, long clockMicros, Map<String, Long> silentMicros) {
    /**
     * Reads the reply of the script of lives.
     *
     * @throws IllegalArgumentException when it is none
     */
    static Life read(@Nullable Object said) {
      if (!(said instanceof List<?> reply) || reply.size() < 3 || reply.size() % 2 == 0) {
        throw new IllegalArgumentException("reply of the life script is not one of its own");
      }
      Map<String, Long> silent = new HashMap<>();
      for (int i = 3; i < reply.size(); i += 2) {
        silent.put(String.valueOf(reply.get(i)), number(reply.get(i + 1)));
      }
      return new Life(
          String.valueOf(reply.getFirst()), number(reply.get(1)), number(reply.get(2)), silent);
    }

    private static long number(@Nullable Object word) {
      return Long.parseLong(String.valueOf(word));
    }
  }

  /** The name, count, clock and members of all together. */
  record Together(String name, long count, long clockNanos, List<Member> members) {}

  /**
   * What was heard of a master last.
   *
   * @param at when, by the own clock
   * @param missed whether others went on without it since
   */
  private record Heard(Life life, long at, boolean missed) {}

  private final long quietNanos;
  private final Map<String, Heard> heard = new TreeMap<>();
  private Set<String> keys = Set.of();
  private long losses;

  Masters(long quietNanos) {
    this.quietNanos = quietNanos;
  }

  /**
   * Puts together what masters said in one round.
   *
   * @param said by the key of its life what each master says, or nothing; at least one says
   *     something
   * @param now by the own clock
   */
  synchronized Together together(Map<String, Optional<Life>> said, long now) {
    TreeMap<String, Life> lives = new TreeMap<>();
    said.forEach((key, life) -> life.ifPresent(is -> lives.put(key, is)));
    Life first = lives.firstEntry().getValue();
    long clock = first.clockMicros() * 1_000;
    if (said.size() == 1) {
      heard.clear();
      keys = said.keySet();
      Heard only = new Heard(first, now, false);
      return new Together(first.name(), first.count(), clock, members(List.of(only), now));
    }
    boolean lost = !keys.isEmpty() && !keys.equals(said.keySet());
    keys = Set.copyOf(said.keySet());
    heard.keySet().retainAll(keys);
    for (Map.Entry<String, Life> each : lives.entrySet()) {
      Heard before = heard.put(each.getKey(), new Heard(each.getValue(), now, false));
      lost |= before != null && (before.missed() || fell(before.life(), each.getValue()));
    }
    heard.replaceAll(
        (key, last) -> new Heard(last.life(), last.at(), now - last.at() > quietNanos));
    losses += lost ? 1 : 0;
    List<String> names = heard.values().stream().map(last -> last.life().name()).toList();
    // a sum may rise while one of its parts falls: that is told by the losses
    long sum = heard.values().stream().mapToLong(last -> last.life().count()).sum();
    return new Together(
        String.join("+", names) + "#" + losses, sum, clock, members(heard.values(), now));
  }

  private static boolean fell(Life before, Life after) {
    return before.name().equals(after.name()) && after.count() <= before.count();
  }

  /** A member that one master has not heard of is not known: what it has there may be lost. */
  private static List<Member> members(Collection<Heard> masters, long now) {
    List<Heard> counting = masters.stream().filter(last -> !last.missed()).toList();
    List<Member> members = new ArrayList<>();
    for (String name : counting.getFirst().life().silentMicros().keySet()) {
      long silent = 0;
      for (Heard master : counting) {
        Long there = master.life().silentMicros().get(name);
        silent =
            there == null || silent < 0
                ? -1
                : Math.max(silent, there + (now - master.at()) / 1_000);
      }
      if (silent >= 0) {
        members.add(new Member(name, silent * 1_000));
      }
    }
    return members;
  }
}
