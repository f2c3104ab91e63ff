package io.penstock.sync;

import io.penstock.quota.Supply;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a store lost of which nobody could have known in time: told from the messages alone, not
 * from what members make of them.
 *
 * <p>Of what was granted to a member after the state that is left, somebody knows who was told that
 * the member lives, or is that member, and reaches the store again: it has asked once knowing that
 * another life answers, and was not gone before it could say what it knows. What nobody knows when
 * one is granted anything who has seen nothing before the loss, may be granted twice.
 *
 * <p>Where the store was put back in its place nobody can know who has been told nothing since the
 * state that is left, unless one who was speaks first.
 */
final class Losses {
  private static final class Loss {
    /** What was granted, by member. */
    final Map<String, Long> granted = new HashMap<>();

    /** Who knew whom before. */
    final Map<String, Set<String>> knew = new HashMap<>();

    final long at;

    /** Whether the limit was lost alone: who was told nothing of it does not know. */
    final boolean alone;

    /** Whether the store is another life since, by which all can tell. */
    boolean noticed;

    /** Who knew, and when the store was told that. */
    final Map<String, Long> spoke = new HashMap<>();

    Loss(long at, boolean alone, boolean noticed) {
      this.at = at;
      this.alone = alone;
      this.noticed = noticed;
    }
  }

  private final Map<String, Set<String>> knows = new HashMap<>();

  /** Who was told of the limit. */
  private final Set<String> asked = new HashSet<>();

  /** What each was ever granted. */
  private final Map<String, Long> given = new HashMap<>();

  private final Map<String, Long> last = new HashMap<>();
  private final List<Loss> losses = new ArrayList<>();
  private long counted;
  private long unknown;
  private long unnoticed;

  /** An answer has reached its member. */
  void heard(World.Sent sent) {
    know(knows, sent);
    if (!sent.answer().grants().isEmpty()) {
      asked.add(sent.round().member());
    }
    for (Loss loss : losses) {
      if (sent.at() < loss.at && (!loss.alone || asked.contains(sent.round().member()))) {
        know(loss.knew, sent);
      }
    }
  }

  private static void know(Map<String, Set<String>> knows, World.Sent sent) {
    List<String> names = sent.answer().members().stream().map(Supply.Member::name).toList();
    know(knows, sent.round().member(), names);
  }

  private static void know(
      Map<String, Set<String>> knows, String member, Collection<String> others) {
    knows.computeIfAbsent(member, name -> new HashSet<>()).addAll(others);
  }

  /** The store forgets all of these. */
  void lose(List<World.Sent> lost, long at, boolean restarted) {
    if (lost.isEmpty()) {
      return;
    }
    long from = lost.getFirst().at();
    for (Loss before : losses) {
      if (before.spoke.values().removeIf(told -> told >= from)) {
        // what was known of that one is lost as well
        knows.forEach((name, others) -> know(before.knew, name, others));
      }
    }
    Loss loss = new Loss(at, false, restarted);
    knows.forEach((name, others) -> know(loss.knew, name, others));
    lost.forEach(sent -> loss.granted.merge(sent.round().member(), granted(sent), Long::sum));
    losses.add(loss);
    counted -= lost.size();
  }

  /** The store forgets all of the limit; who asks for it notices. */
  void forget(long at) {
    Loss loss = new Loss(at, true, true);
    loss.granted.putAll(given);
    knows.forEach((name, others) -> know(loss.knew, name, others));
    loss.knew.keySet().retainAll(asked);
    losses.add(loss);
  }

  private static long sum(Map<String, Long> granted) {
    return granted.values().stream().mapToLong(Long::longValue).sum();
  }

  private static long granted(World.Sent sent) {
    return sent.answer().grants().stream()
        .flatMap(grant -> grant.slices().stream())
        .mapToLong(Supply.Slice::amount)
        .sum();
  }

  /** The store answers. */
  void see(World.Sent sent) {
    Supply.Seen seen = sent.round().seen();
    boolean knowsLife =
        seen != null
            && seen.life().equals(sent.answer().life())
            && seen.run().equals(sent.answer().run().name());
    last.put(sent.round().member(), sent.at());
    for (Loss loss : losses) {
      if (loss.noticed && knowsLife) {
        look(loss, sent);
      } else if (seen != null && !loss.noticed) {
        lookInPlace(loss, sent, !knowsLife || seen.count() > counted);
      }
    }
    given.merge(sent.round().member(), granted(sent), Long::sum);
    counted++;
  }

  private void lookInPlace(Loss loss, World.Sent sent, boolean notices) {
    loss.noticed = notices;
    if (!notices && granted(sent) > 0) {
      unnoticed += sum(loss.granted);
      loss.granted.clear();
    }
  }

  private void look(Loss loss, World.Sent sent) {
    String member = sent.round().member();
    if (loss.knew.containsKey(member)) {
      loss.spoke.putIfAbsent(member, sent.at());
    } else if (granted(sent) > 0) {
      Map<String, Long> lost = new HashMap<>(loss.granted);
      lost.keySet().removeIf(name -> isKnown(loss, name, sent.at()));
      unknown += sum(lost);
      loss.granted.keySet().removeAll(lost.keySet());
    }
  }

  private boolean isKnown(Loss loss, String member, long now) {
    for (Map.Entry<String, Long> spoke : loss.spoke.entrySet()) {
      String name = spoke.getKey();
      long heard = last.getOrDefault(name, spoke.getValue());
      boolean stayed = heard - spoke.getValue() > 3 * World.TTL || now - heard <= World.TTL;
      if (stayed
          && (name.equals(member) || loss.knew.getOrDefault(name, Set.of()).contains(member))) {
        return true;
      }
    }
    return false;
  }

  /** The most that may have been granted twice because all who knew of it are gone. */
  long unknown() {
    return unknown;
  }

  /** The most that may have been granted twice because nobody could tell the store from before. */
  long unnoticed() {
    return unnoticed;
  }
}
