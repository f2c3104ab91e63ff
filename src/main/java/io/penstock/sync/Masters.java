package io.penstock.sync;

import io.penstock.quota.Supply.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The lives of all masters as one: a loss of one of them is a loss of the store, because a limit
 * may be on any. Safe from any thread.
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

  private final Map<String, Long> counts = new HashMap<>();
  private long losses;

  /**
   * Puts together what all masters said in one round.
   *
   * @param lives one a master, at least one
   */
  synchronized Together together(List<Life> lives) {
    Life first = lives.getFirst();
    if (lives.size() == 1) {
      counts.clear();
      return new Together(first.name(), first.count(), first.clockMicros() * 1_000, members(lives));
    }
    TreeMap<String, Life> named = new TreeMap<>();
    lives.forEach(life -> named.put(life.name(), life));
    // a sum may rise while one of its parts falls
    if (lives.stream().anyMatch(life -> life.count() <= counts.getOrDefault(life.name(), 0L))) {
      losses++;
    }
    counts.keySet().retainAll(named.keySet());
    long sum = 0;
    for (Life life : named.values()) {
      counts.put(life.name(), life.count());
      sum += life.count();
    }
    String name = String.join("+", named.navigableKeySet()) + "#" + losses;
    return new Together(name, sum, first.clockMicros() * 1_000, members(lives));
  }

  /** A member that one master has not heard of is not known: what it has there may be lost. */
  private static List<Member> members(List<Life> lives) {
    List<Member> members = new ArrayList<>();
    for (String name : lives.getFirst().silentMicros().keySet()) {
      long silent = 0;
      for (Life life : lives) {
        Long there = life.silentMicros().get(name);
        silent = there == null || silent < 0 ? -1 : Math.max(silent, there);
      }
      if (silent >= 0) {
        members.add(new Member(name, silent * 1_000));
      }
    }
    return members;
  }
}
