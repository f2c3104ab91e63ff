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
   * @param members what is known of each, by name
   * @param losses limits that were found lost, and when they were born again
   */
  record Life(
      String name,
      long count,
      long clockMicros,
      Map<String, Heard> members,
      Map<String, Long> losses) {
    /**
     * Reads the reply of the script of lives.
     *
     * @throws IllegalArgumentException when it is none
     */
    static Life read(@Nullable Object said) {
      if (!(said instanceof List<?> reply) || reply.size() < 3 || reply.size() % 4 != 3) {
        throw new IllegalArgumentException("reply of the life script is not one of its own");
      }
      Map<String, Heard> members = new HashMap<>();
      Map<String, Long> losses = new HashMap<>();
      for (int i = 3; i < reply.size(); i += 4) {
        String what = String.valueOf(reply.get(i + 1));
        long first = number(reply.get(i + 2));
        if ("m".equals(reply.get(i))) {
          members.put(what, new Heard(first, number(reply.get(i + 3))));
        } else {
          losses.put(what, first);
        }
      }
      return new Life(
          String.valueOf(reply.getFirst()),
          number(reply.get(1)),
          number(reply.get(2)),
          members,
          losses);
    }

    private static long number(@Nullable Object word) {
      return Long.parseLong(String.valueOf(word));
    }
  }

  /**
   * What one master knows of a member.
   *
   * @param silentMicros for how long nothing was heard of it
   * @param wholeMicros how long ago it said all it has; negative when it never did
   */
  record Heard(long silentMicros, long wholeMicros) {}

  /** The name, count, clock, members and losses of all together. */
  record Together(
      String name, long count, long clockNanos, List<Member> members, Map<String, Long> losses) {}

  private static final Heard NEVER = new Heard(-1, -1);

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
      return new Together(
          first.name(), first.count(), first.clockMicros() * 1_000, members(lives), first.losses());
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
    Map<String, Long> losses = new HashMap<>();
    lives.forEach(life -> life.losses().forEach((id, born) -> losses.merge(id, born, Math::max)));
    return new Together(name, sum, first.clockMicros() * 1_000, members(lives), losses);
  }

  /** A member that one master has not heard of is not known: what it has there may be lost. */
  private static List<Member> members(List<Life> lives) {
    List<Member> members = new ArrayList<>();
    for (String name : lives.getFirst().members().keySet()) {
      long silent = 0;
      long whole = 0;
      for (Life life : lives) {
        Heard there = life.members().getOrDefault(name, NEVER);
        silent = later(silent, there.silentMicros());
        whole = later(whole, there.wholeMicros());
      }
      if (silent >= 0) {
        long said = whole < 0 ? Long.MAX_VALUE : whole * 1_000;
        members.add(new Member(name, silent * 1_000, said));
      }
    }
    return members;
  }

  /** The longer time ago; negative is never. */
  private static long later(long one, long other) {
    return one < 0 || other < 0 ? -1 : Math.max(one, other);
  }
}
