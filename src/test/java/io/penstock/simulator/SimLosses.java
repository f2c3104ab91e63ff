package io.penstock.simulator;

import io.penstock.limit.CellAmount;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.SliceStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the part of a simulated store's losses that no instance could have known of in time, from
 * the messages alone, not from the instances' reaction. Limits are counted separately.
 *
 * <p>A grant made after the state that is left is known to the instance that got it, and to those
 * that were told that this instance is alive. They count if they reach the store again: they have
 * asked once knowing that another life of the store answers, and did not end before they could
 * report what they know. If an instance that has seen nothing from before the loss is granted
 * anything before that, the rest may be granted twice.
 *
 * <p>If older data was put back into a running store, an instance that was told nothing since the
 * state that is left cannot notice, unless one that was told reports first.
 */
public final class SimLosses {
  private static final class Loss {
    /** The amounts that were granted and are lost, by limit and by member. */
    final Map<LimitId, Map<String, Long>> granted = new HashMap<>();

    /**
     * The permits in use that members reported in lost messages, by limit and by member. The store
     * counts such a member as silent from an earlier instant than it was, until it reports again.
     */
    final Map<LimitId, Map<String, Long>> reported = new HashMap<>();

    /** The members that each member knew of before. */
    final Map<String, Set<String>> knew = new HashMap<>();

    /**
     * The members that each member knew of when later reports were lost as well. Not each of these
     * has seen anything from before.
     */
    final Map<String, Set<String>> knewLater = new HashMap<>();

    final long at;

    /**
     * The only limit that was lost, or null for all; members that were told nothing of that limit
     * do not notice.
     */
    final @Nullable LimitId alone;

    /** Whether the store has another life since then, by which all can notice. */
    boolean noticed;

    /** Members that knew, and when they reported it to the store. */
    final Map<String, Long> spoke = new HashMap<>();

    Loss(long at, @Nullable LimitId alone, boolean noticed) {
      this.at = at;
      this.alone = alone;
      this.noticed = noticed;
    }

    void add(LimitId id, String member, long amount) {
      granted.computeIfAbsent(id, absent -> new HashMap<>()).merge(member, amount, Long::sum);
    }

    /** Returns whether a member has anything to report of the loss. */
    boolean knows(String member) {
      return knew.containsKey(member) || knewLater.containsKey(member);
    }

    boolean knows(String member, String other) {
      return knew.getOrDefault(member, Set.of()).contains(other)
          || knewLater.getOrDefault(member, Set.of()).contains(other);
    }

    void addPermits(SliceStore.Round round) {
      for (SliceStore.Ask ask : round.asks()) {
        if (ask.spec() instanceof LimitSpec.Concurrency) {
          long used = ask.uses().stream().mapToLong(CellAmount::amount).sum();
          reported
              .computeIfAbsent(ask.id(), absent -> new HashMap<>())
              .merge(round.member(), used, Math::max);
        }
      }
    }

    /** Returns how much of a limit may be granted again unnoticed, and forgets it. */
    long takeUnnoticed(LimitId id) {
      Map<String, Long> lost = granted.remove(id);
      Map<String, Long> permits = reported.remove(id);
      return (lost == null ? 0 : sum(lost)) + (permits == null ? 0 : sum(permits));
    }
  }

  private final long ttlNanos;
  private final Map<String, Set<String>> knows = new HashMap<>();

  /** The members that were told of each limit. */
  private final Map<LimitId, Set<String>> asked = new HashMap<>();

  /** Everything that was ever granted, by limit and member. */
  private final Map<LimitId, Map<String, Long>> given = new HashMap<>();

  private final Map<String, Long> last = new HashMap<>();
  private final List<Loss> losses = new ArrayList<>();
  private long counted;
  private final Map<LimitId, Long> unknown = new HashMap<>();
  private final Map<LimitId, Long> unnoticed = new HashMap<>();

  SimLosses(long ttlNanos) {
    this.ttlNanos = ttlNanos;
  }

  /** Notes that an answer has reached its member. */
  void heard(SimStore.Sent sent) {
    know(knows, sent);
    String member = sent.round().member();
    sent.answer()
        .grants()
        .forEach(grant -> asked.computeIfAbsent(grant.id(), absent -> new HashSet<>()).add(member));
    for (Loss loss : losses) {
      boolean told =
          loss.alone == null || asked.getOrDefault(loss.alone, Set.of()).contains(member);
      if (sent.at() < loss.at && told) {
        know(loss.knew, sent);
      }
    }
  }

  private static void know(Map<String, Set<String>> knows, SimStore.Sent sent) {
    List<String> names = sent.answer().members().stream().map(SliceStore.Member::name).toList();
    know(knows, sent.round().member(), names);
  }

  private static void know(
      Map<String, Set<String>> knows, String member, Collection<String> others) {
    knows.computeIfAbsent(member, name -> new HashSet<>()).addAll(others);
  }

  /** Notes that the store loses all of these messages. */
  void lose(List<SimStore.Sent> lost, long at, boolean restarted) {
    if (lost.isEmpty()) {
      return;
    }
    long from = lost.getFirst().at();
    for (Loss before : losses) {
      if (before.spoke.values().removeIf(told -> told >= from)) {
        // the reports of that loss are lost as well
        knows.forEach((name, others) -> know(before.knewLater, name, others));
      }
    }
    Loss loss = new Loss(at, null, restarted);
    knows.forEach((name, others) -> know(loss.knew, name, others));
    for (SimStore.Sent sent : lost) {
      granted(sent).forEach((id, amount) -> loss.add(id, sent.round().member(), amount));
      loss.addPermits(sent.round());
    }
    losses.add(loss);
    counted -= lost.size();
  }

  /** Notes that the store loses all data of one limit; members that ask for it notice. */
  void forget(LimitId id, long at) {
    Loss loss = new Loss(at, id, true);
    given.getOrDefault(id, Map.of()).forEach((member, amount) -> loss.add(id, member, amount));
    knows.forEach((name, others) -> know(loss.knew, name, others));
    loss.knew.keySet().retainAll(asked.getOrDefault(id, Set.of()));
    losses.add(loss);
  }

  private static long sum(Map<String, Long> granted) {
    return granted.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns the amounts granted by an answer, by limit; limits without a grant are left out. */
  private static Map<LimitId, Long> granted(SimStore.Sent sent) {
    Map<LimitId, Long> granted = new HashMap<>();
    for (SliceStore.Grant grant : sent.answer().grants()) {
      long amount = grant.slices().stream().mapToLong(CellAmount::amount).sum();
      if (amount > 0) {
        granted.merge(grant.id(), amount, Long::sum);
      }
    }
    return granted;
  }

  /** Notes an answer of the store. */
  void see(SimStore.Sent sent) {
    SliceStore.Seen seen = sent.round().seen();
    boolean knowsLife =
        seen != null
            && seen.life().equals(sent.answer().life())
            && seen.run().equals(sent.answer().run().name());
    String member = sent.round().member();
    last.put(member, sent.at());
    Map<LimitId, Long> granted = granted(sent);
    for (Loss loss : losses) {
      loss.reported.values().forEach(members -> members.remove(member));
      if (loss.noticed && knowsLife) {
        look(loss, sent, granted.keySet());
      } else if (seen != null && !loss.noticed) {
        lookInPlace(loss, granted.keySet(), !knowsLife || seen.count() > counted);
      }
    }
    granted.forEach(
        (id, amount) ->
            given.computeIfAbsent(id, absent -> new HashMap<>()).merge(member, amount, Long::sum));
    counted++;
  }

  private void lookInPlace(Loss loss, Set<LimitId> granted, boolean notices) {
    loss.noticed = notices;
    if (!notices) {
      for (LimitId id : granted) {
        unnoticed.merge(id, loss.takeUnnoticed(id), Long::sum);
      }
    }
  }

  private void look(Loss loss, SimStore.Sent sent, Set<LimitId> granted) {
    String member = sent.round().member();
    if (loss.knows(member)) {
      loss.spoke.putIfAbsent(member, sent.at());
    }
    if (loss.knew.containsKey(member)) {
      return;
    }
    for (LimitId id : granted) {
      Map<String, Long> left = loss.granted.getOrDefault(id, Map.of());
      Map<String, Long> lost = new HashMap<>(left);
      lost.keySet().removeIf(name -> isKnown(loss, name, sent.at()));
      if (!lost.isEmpty()) {
        unknown.merge(id, sum(lost), Long::sum);
        left.keySet().removeAll(lost.keySet());
      }
    }
  }

  private boolean isKnown(Loss loss, String member, long now) {
    for (Map.Entry<String, Long> spoke : loss.spoke.entrySet()) {
      String name = spoke.getKey();
      long heardAt = last.getOrDefault(name, spoke.getValue());
      boolean stayed = heardAt - spoke.getValue() > 3 * ttlNanos || now - heardAt <= ttlNanos;
      if (stayed && (name.equals(member) || loss.knows(name, member))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the most that may have been granted twice because all members that knew of it have
   * ended.
   */
  public long unknown(LimitId id) {
    return unknown.getOrDefault(id, 0L);
  }

  /** Returns the most that may have been granted twice because no member could notice the loss. */
  public long unnoticed(LimitId id) {
    return unnoticed.getOrDefault(id, 0L);
  }
}
