package io.penstock.shares;

import io.penstock.shares.ShareStore.Absent;
import io.penstock.shares.ShareStore.Life;
import io.penstock.shares.ShareStore.Peer;
import io.penstock.shares.ShareStore.Row;
import io.penstock.shares.ShareStore.Still;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Knowledge of one instance about all others, and since when. It watches beats by its own clock, so
 * that no clocks are compared. Used by one thread at a time.
 */
final class Peers {
  /** For how long an absent instance is remembered. */
  static final long REMEMBERED_NANOS = 3_600_000_000_000L;

  private static final long MILLI = 1_000_000;
  private static final int MOST_STRANGERS = 10_000;

  /**
   * @param beatNanos when this beat was first heard
   * @param absentNanos from when on it is certain to have stopped, as watched here
   */
  private record Watched(Peer peer, long beatNanos, long absentNanos) {}

  /**
   * An instance that the store knows by its shares alone: it was forgotten, or the store has lost
   * it.
   *
   * @param number that of the last beat with which it stated anything
   * @param absentNanos from when on it is certain to have stopped
   */
  private record Stranger(long number, long absentNanos) {}

  private final String self;
  private final ShareTerms terms;
  private final Map<String, Watched> watched = new HashMap<>();
  private final Map<String, Stranger> strangers = new HashMap<>();

  Peers(String self, ShareTerms terms) {
    this.self = self;
    this.terms = terms;
  }

  /** Takes in what an answer says at {@code now}. */
  void heard(List<Peer> peers, long now) {
    Map<String, Watched> before = Map.copyOf(watched);
    watched.clear();
    for (Peer peer : peers) {
      if (!peer.member().equals(self)) {
        Watched known = before.get(peer.member());
        watched.put(peer.member(), known == null ? first(peer, now) : next(known, peer, now));
      }
    }
    strangers.keySet().removeAll(watched.keySet());
  }

  /** Returns the names of strangers: the store knows only that they have a share. */
  List<String> strangers(List<Row> rows, long now) {
    List<String> names = new ArrayList<>();
    for (Row row : rows) {
      if (!watched.containsKey(row.member()) && !row.member().equals(self)) {
        Stranger known = strangers.get(row.member());
        if (known == null || known.number() < row.beat()) {
          forgetIfMany();
          strangers.put(row.member(), new Stranger(row.beat(), now + lease()));
        }
        names.add(row.member());
      }
    }
    return List.copyOf(names);
  }

  private void forgetIfMany() {
    if (strangers.size() == MOST_STRANGERS) {
      strangers.clear();
    }
  }

  private Watched first(Peer peer, long now) {
    return new Watched(peer, now, absent(peer, isGone(peer) ? now : now + lease(), now));
  }

  /** Returns whether it has stopped for certain, however long it was watched. */
  private static boolean isGone(Peer peer) {
    return peer.life() == Life.LEFT || peer.life() == Life.RELEASED;
  }

  /** Returns from when on it is certain to have stopped; others may have watched it for longer. */
  private static long absent(Peer peer, long watchedNanos, long now) {
    long told = peer.life() == Life.LIVING ? 0 : peer.ageMillis();
    return told > 0 ? Math.min(watchedNanos, now - told * MILLI) : watchedNanos;
  }

  private Watched next(Watched known, Peer peer, long now) {
    if (known.peer().number() != peer.number()) {
      return first(peer, now);
    }
    boolean left = isGone(peer) && !isGone(known.peer());
    long watched = left ? Math.min(now, known.absentNanos()) : known.absentNanos();
    return new Watched(peer, known.beatNanos(), absent(peer, watched, now));
  }

  /** Begins to watch anew: beats may have come while this instance did not run or hear. */
  void watchAnew(long now) {
    watched.replaceAll((name, each) -> first(each.peer(), now));
    strangers.clear();
  }

  private long lease() {
    return ShareTerms.watched(terms.leaseNanos());
  }

  /** Returns all other instances as they were last heard of, and for how long they have stopped. */
  List<Peer> known(long now) {
    return watched.values().stream().map(each -> known(each, now)).toList();
  }

  private static Peer known(Watched each, long now) {
    Peer peer = each.peer();
    boolean lives = peer.life() == Life.LIVING;
    long age = lives ? 0 : Math.max(0, now - each.absentNanos()) / MILLI;
    return new Peer(peer.member(), peer.number(), peer.life(), peer.stated(), age);
  }

  /** Returns how many other instances live. */
  long living() {
    return watched.values().stream().filter(each -> each.peer().life() == Life.LIVING).count();
  }

  /**
   * Returns all other instances.
   *
   * @param decays for how many milliseconds what an absent instance spent last counts at most
   */
  List<ShareFigures.Member> figures(Map<String, Long> decays, long now) {
    List<ShareFigures.Member> figures = new ArrayList<>();
    for (Watched each : watched.values()) {
      Peer peer = each.peer();
      Long decay = peer.life() == Life.LIVING ? null : decays.get(peer.member());
      long until = decay == null ? now : each.absentNanos() + ShareTerms.watched(decay * MILLI);
      long counts = Math.max(0, until - now);
      figures.add(new ShareFigures.Member(peer.member(), peer.number(), peer.life(), counts));
    }
    return figures;
  }

  /**
   * Returns whether what was spent by instances that stopped, and have not stated it, has decayed.
   * They count for another lease, because they may have heard a store that was replaced.
   */
  boolean unstatedHasDecayed(long decayNanos, long now) {
    return watched.values().stream()
        .filter(each -> each.peer().life() != Life.LIVING && !each.peer().stated())
        .allMatch(each -> now - each.absentNanos() > lease() + ShareTerms.watched(decayNanos));
  }

  /** Returns those that live by the store, and have had the same beat for a lease. */
  List<Still> still(long now) {
    List<Still> still = new ArrayList<>();
    for (Watched each : watched.values()) {
      if (each.peer().life() == Life.LIVING && now - each.beatNanos() > lease()) {
        still.add(new Still(each.peer().member(), each.peer().number(), false));
      }
    }
    return still;
  }

  /** Returns another instance as it was last heard of, or null. */
  @Nullable Peer named(String name) {
    Watched known = watched.get(name);
    return known == null ? null : known.peer();
  }

  /** Returns whether an instance lives by the store, and its beat has not stood still. */
  boolean lives(String name, long now) {
    Peer peer = named(name);
    return peer != null
        && peer.life() == Life.LIVING
        && still(now).stream().noneMatch(each -> each.member().equals(name));
  }

  /** Returns those of some strangers that are certain to have stopped. */
  List<Absent> absent(List<String> names, long now) {
    List<Absent> absent = new ArrayList<>();
    for (String each : names) {
      Stranger known = strangers.get(each);
      if (known != null && now >= known.absentNanos()) {
        long ageMillis = (now - known.absentNanos()) / MILLI;
        absent.add(new Absent(each, known.number(), ageMillis, false));
      }
    }
    return absent;
  }

  /** Returns the instances that have stopped, with the time since they are certain to have. */
  List<Absent> absent(long now) {
    List<Absent> absent = new ArrayList<>();
    for (Watched each : watched.values()) {
      if (each.peer().life() != Life.LIVING && now >= each.absentNanos()) {
        Peer peer = each.peer();
        long ageMillis = (now - each.absentNanos()) / MILLI;
        boolean released = peer.life() == Life.RELEASED;
        absent.add(new Absent(peer.member(), peer.number(), ageMillis, released));
      }
    }
    return absent;
  }

  /** Returns the instances that have spent nothing that still counts. */
  List<String> forgotten(long now) {
    List<String> forgotten = new ArrayList<>();
    for (Watched each : watched.values()) {
      if (each.peer().life() != Life.LIVING && now - each.absentNanos() > REMEMBERED_NANOS) {
        forgotten.add(each.peer().member());
      }
    }
    return forgotten;
  }
}
