package io.penstock.sync;

import io.penstock.quota.Supply;
import java.util.ArrayList;
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
 * another life answers. What nobody has known when the next one is granted anything who knows of no
 * loss, may be granted twice.
 *
 * <p>Where the store was put back in its place nobody can know who has been told nothing since the
 * state that is left, unless one who was speaks first.
 */
final class Losses {
  private static final class Loss {
    /** What was granted, by member. */
    final Map<String, Long> granted = new HashMap<>();

    /** Who knew whom before. */
    final Map<String, Set<String>> knew;

    final long at;
    final boolean inPlace;
    final Set<String> speak = new HashSet<>();
    boolean open = true;

    Loss(Map<String, Set<String>> known, long at, boolean inPlace) {
      this.knew = known;
      this.at = at;
      this.inPlace = inPlace;
    }
  }

  private final Map<String, Set<String>> knows = new HashMap<>();
  private final List<Loss> losses = new ArrayList<>();
  private long counted;
  private long unknown;
  private long unnoticed;

  /** An answer has reached its member. */
  void heard(World.Sent sent) {
    know(knows, sent);
    for (Loss loss : losses) {
      if (sent.at() < loss.at) {
        know(loss.knew, sent);
      }
    }
  }

  private static void know(Map<String, Set<String>> knows, World.Sent sent) {
    Set<String> known = knows.computeIfAbsent(sent.round().member(), name -> new HashSet<>());
    sent.answer().members().forEach(member -> known.add(member.name()));
  }

  /** The store forgets all of these. */
  void lose(List<World.Sent> lost, long at, boolean restarted) {
    Map<String, Set<String>> knew = new HashMap<>();
    knows.forEach((name, others) -> knew.put(name, new HashSet<>(others)));
    Loss loss = new Loss(knew, at, !restarted);
    lost.forEach(sent -> loss.granted.merge(sent.round().member(), granted(sent), Long::sum));
    losses.add(loss);
    counted -= lost.size();
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
    boolean knowsLife = seen != null && seen.life().equals(sent.answer().life());
    for (Loss loss : losses) {
      if (loss.open && seen != null && loss.inPlace) {
        lookInPlace(loss, sent, !knowsLife || seen.count() > counted);
      } else if (loss.open && knowsLife) {
        look(loss, sent);
      }
    }
    counted++;
  }

  private void lookInPlace(Loss loss, World.Sent sent, boolean noticed) {
    if (noticed || granted(sent) > 0) {
      loss.open = false;
      long all = loss.granted.values().stream().mapToLong(Long::longValue).sum();
      unnoticed += noticed ? 0 : all;
    }
  }

  private void look(Loss loss, World.Sent sent) {
    String member = sent.round().member();
    if (loss.knew.containsKey(member)) {
      loss.speak.add(member);
    } else if (granted(sent) > 0) {
      loss.open = false;
      loss.granted.forEach((name, amount) -> unknown += isKnown(loss, name) ? 0 : amount);
    }
  }

  private static boolean isKnown(Loss loss, String member) {
    return loss.speak.stream()
        .anyMatch(name -> name.equals(member) || loss.knew.get(name).contains(member));
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
