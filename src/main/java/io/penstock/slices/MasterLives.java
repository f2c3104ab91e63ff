package io.penstock.slices;

import io.penstock.sharing.SliceStore.Member;
import io.penstock.sharing.SliceStore.Run;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Combines the lives of all masters of Redis into one. A loss of one master is a loss of the store,
 * because a limit may be on any of them. A master that is silent while others answer is no loss
 * yet: for {@code quietNanos}, its last answer counts. After that the others go on without it, and
 * its return counts as another run, because no member was heard there meanwhile. Thread-safe.
 */
public final class MasterLives {
  /**
   * Answer of one master.
   *
   * @param name of its life
   * @param run that answered, and how much of earlier rounds it knows
   * @param count of the rounds it answered
   * @param clockMicros its time
   * @param members knowledge about each member, by name
   * @param losses limits that were found lost, with their new births
   * @param lostMicros how long ago a member first reported that it had seen another life
   */
  public record Life(
      String name,
      Run run,
      long count,
      long clockMicros,
      Map<String, MemberTimes> members,
      Map<String, Long> losses,
      long lostMicros) {
    /** Time since an event that never happened. */
    static final long NEVER = -1;

    /**
     * Number of words at the start of a reply, and of each entry for a member, a lost limit or the
     * report of a loss.
     */
    private static final int HEAD = 7;

    private static final int WORDS = 6;

    /**
     * Reads a reply of the life script.
     *
     * @throws IllegalArgumentException when it is not one
     */
    static Life read(@Nullable Object content) {
      if (!(content instanceof List<?> reply) || reply.size() % WORDS != HEAD % WORDS) {
        throw new IllegalArgumentException("reply of the life script is not one of its own");
      }
      Map<String, MemberTimes> members = new HashMap<>();
      Map<String, Long> losses = new HashMap<>();
      long lost = NEVER;
      for (int i = HEAD; i < reply.size(); i += WORDS) {
        String what = String.valueOf(reply.get(i + 1));
        long first = number(reply.get(i + 2));
        switch (String.valueOf(reply.get(i))) {
          case "m" -> {
            boolean left = number(reply.get(i + 5)) > 0;
            members.put(
                what,
                new MemberTimes(first, number(reply.get(i + 3)), number(reply.get(i + 4)), left));
          }
          case "x" -> lost = first;
          default -> losses.put(what, first);
        }
      }
      return new Life(
          String.valueOf(reply.getFirst()),
          new Run(
              String.valueOf(reply.get(3)),
              nanos(number(reply.get(4))),
              nanos(number(reply.get(5))),
              number(reply.get(6)) == NEVER ? Long.MAX_VALUE : number(reply.get(6))),
          number(reply.get(1)),
          number(reply.get(2)),
          members,
          losses,
          lost);
    }

    long lostNanos() {
      return nanos(lostMicros);
    }

    private static long number(@Nullable Object word) {
      return Long.parseLong(String.valueOf(word));
    }
  }

  /**
   * Knowledge of one master about a member.
   *
   * @param silentMicros time since it was heard last
   * @param sinceCompleteMicros time since it last reported everything; negative for never
   * @param sinceAwareMicros time since it was last heard knowing the life and the run; negative for
   *     never
   * @param left whether it reported that it leaves
   */
  record MemberTimes(
      long silentMicros, long sinceCompleteMicros, long sinceAwareMicros, boolean left) {}

  /** Combined state of all masters. */
  record Together(
      String name,
      Run run,
      long count,
      long clockNanos,
      List<Member> members,
      Map<String, Long> losses,
      long lostNanos) {}

  private static final MemberTimes NEVER = new MemberTimes(-1, -1, -1, false);

  private static long nanos(long micros) {
    return micros < 0 ? Long.MAX_VALUE : micros * 1_000;
  }

  /**
   * Last answer of a master.
   *
   * @param at when it came, by the local clock
   * @param missed whether the others went on without the master since
   */
  private record Last(Life life, long at, boolean missed) {
    MemberTimes of(String member, long now) {
      MemberTimes then = life.members().getOrDefault(member, NEVER);
      long since = (now - at) / 1_000;
      return new MemberTimes(
          aged(then.silentMicros(), since),
          aged(then.sinceCompleteMicros(), since),
          aged(then.sinceAwareMicros(), since),
          then.left());
    }

    private static long aged(long micros, long since) {
      return micros < 0 ? micros : micros + since;
    }
  }

  private final long quietNanos;
  private final Map<String, Last> lastAnswers = new TreeMap<>();
  private Set<String> keys = Set.of();
  private long lost;
  private long returned;

  MasterLives(long quietNanos) {
    this.quietNanos = quietNanos;
  }

  /**
   * Combines the answers of the masters to one round.
   *
   * @param answers answer of each master by the key of its life, or empty; at least one is present
   * @param now by the local clock
   */
  synchronized Together together(Map<String, Optional<Life>> answers, long now) {
    TreeMap<String, Life> lives = new TreeMap<>();
    answers.forEach((key, life) -> life.ifPresent(is -> lives.put(key, is)));
    Life first = lives.firstEntry().getValue();
    long clock = first.clockMicros() * 1_000;
    if (answers.size() == 1) {
      lastAnswers.clear();
      keys = answers.keySet();
      List<Member> members = members(List.of(new Last(first, now, false)), now);
      return new Together(
          first.name(),
          first.run(),
          first.count(),
          clock,
          members,
          first.losses(),
          first.lostNanos());
    }
    lost += take(answers.keySet(), lives, now) ? 1 : 0;
    List<String> names = lastAnswers.values().stream().map(last -> last.life().name()).toList();
    // The sum may rise while one of its parts falls; that loss changes the name.
    long sum = lastAnswers.values().stream().mapToLong(last -> last.life().count()).sum();
    Map<String, Long> losses = new HashMap<>();
    lives
        .values()
        .forEach(life -> life.losses().forEach((id, born) -> losses.merge(id, born, Math::max)));
    String name = String.join("+", names) + "#" + lost;
    long since = lives.values().stream().mapToLong(Life::lostNanos).min().orElse(Long.MAX_VALUE);
    Run run = run(lives.values());
    return new Together(name, run, sum, clock, members(lastAnswers.values(), now), losses, since);
  }

  /** Combines the runs: the result is as young as the youngest, and complete only if all are. */
  private Run run(Collection<Life> lives) {
    List<String> names =
        lastAnswers.values().stream().map(last -> last.life().run().name()).toList();
    Run youngest =
        lives.stream().map(Life::run).min(Comparator.comparingLong(Run::ageNanos)).orElseThrow();
    boolean kept = lives.stream().allMatch(life -> life.run().kept() == Long.MAX_VALUE);
    return new Run(
        String.join("+", names) + "#" + returned,
        youngest.ageNanos(),
        youngest.gapNanos(),
        kept ? Long.MAX_VALUE : 0);
  }

  /**
   * Takes in the answers; returns whether they reveal a loss that the names of the lives do not
   * show.
   */
  private boolean take(Set<String> all, Map<String, Life> lives, long now) {
    boolean loss = !keys.isEmpty() && !keys.equals(all);
    keys = Set.copyOf(all);
    lastAnswers.keySet().retainAll(keys);
    for (Map.Entry<String, Life> each : lives.entrySet()) {
      Last before = lastAnswers.put(each.getKey(), new Last(each.getValue(), now, false));
      loss |= before != null && fell(before.life(), each.getValue());
      returned += before != null && before.missed() ? 1 : 0;
    }
    lastAnswers.replaceAll(
        (key, last) -> new Last(last.life(), last.at(), now - last.at() > quietNanos));
    return loss;
  }

  private static boolean fell(Life before, Life after) {
    return before.name().equals(after.name()) && after.count() <= before.count();
  }

  /**
   * Returns the members known to all counting masters. A member unknown to one of them is left out,
   * because its data there may be lost.
   */
  private static List<Member> members(Collection<Last> masters, long now) {
    List<Last> counting = masters.stream().filter(last -> !last.missed()).toList();
    List<Member> members = new ArrayList<>();
    for (String name : counting.getFirst().life().members().keySet()) {
      long silent = 0;
      long whole = 0;
      long aware = 0;
      boolean left = true;
      for (Last master : counting) {
        MemberTimes there = master.of(name, now);
        silent = later(silent, there.silentMicros());
        whole = later(whole, there.sinceCompleteMicros());
        aware = later(aware, there.sinceAwareMicros());
        left &= there.left();
      }
      if (silent >= 0) {
        members.add(new Member(name, silent * 1_000, nanos(whole), nanos(aware), left));
      }
    }
    return members;
  }

  /** Returns the longer of two times since an event; negative, for never, if one of them is. */
  private static long later(long one, long other) {
    return one < 0 || other < 0 ? -1 : Math.max(one, other);
  }
}
