package io.penstock.sync;

import io.penstock.coordination.Kind;
import io.penstock.sync.ObjectScript.Caller;
import io.penstock.sync.RedisLink.Call;
import io.penstock.sync.RedisLink.Reply;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The instances that wait at shared objects. Each says at times that it lives, and hears that on
 * its own channel, so it knows that it would hear of its turns, too. One of which nothing was heard
 * for a lease is gone, with its places, and never comes back under its name. One thread at a time.
 */
final class Fellows {
  static final Script SCRIPT = Script.read("fellows.lua");

  /** Between two signs of life. */
  static final long BEAT_NANOS = 1_000_000_000L;

  /** After so long a silence an instance is gone. */
  static final long LEASE_NANOS = 5 * BEAT_NANOS;

  private static final long NANOS_PER_MICRO = 1_000;

  /** Of so many that are gone it is remembered. */
  private static final int MOST_GONE = 64;

  /** Told what changes. */
  interface Listener {
    /** Nobody counts on this instance any more: its places are gone. */
    void lost();

    /** Others count on this instance, still or again. */
    void well();

    /** Others are gone, with their places. */
    void othersGone();

    /** Something may have been said that was not heard here. */
    void missed();
  }

  /**
   * What an instance of many is told of.
   *
   * @param key of what they share
   * @param channels what their channels begin with
   * @param process another one each time an instance starts, of letters and digits
   * @param leaseNanos after which one that is silent is gone
   */
  record Names(String key, String channels, String process, long leaseNanos) {
    /** Returns the own channel. */
    String channel() {
      return channels + process;
    }
  }

  private final Names names;
  private final Lane lane;
  private final Ticker ticker;
  private final StoreClock clock;
  private final Troubles troubles;
  private final Listener listener;
  private final List<Check> checks = new ArrayList<>();
  private final Set<String> gone = new LinkedHashSet<>();
  private Set<String> living = Set.of();
  private int generation = 1;
  private String born = "";
  private long objects;
  private long number;
  private boolean queued;
  private boolean well;

  /** The first sign of life of this generation that was answered, and the last; 0 for none. */
  private long first;

  private long answered;

  /** The last one that was heard on the own channel. */
  private long heard;

  private long leaseEnds;
  private long hearingEnds;

  Fellows(
      Names names,
      Lane lane,
      Ticker ticker,
      StoreClock clock,
      Troubles troubles,
      Listener listener) {
    this.names = names;
    this.lane = lane;
    this.ticker = ticker;
    this.clock = clock;
    this.troubles = troubles;
    this.listener = listener;
  }

  /** Returns the name of this instance, until it is lost. */
  String name() {
    return names.process() + "." + generation;
  }

  /** Returns the key of an object: what is kept of it is in one slot. */
  String key(Kind kind, String name) {
    return names.channels() + "{" + kind.word() + ":" + name + "}";
  }

  /** Returns the birth of what all share, as far as it is known, or empty. */
  String born() {
    return born;
  }

  /** Returns how many objects there are, as far as is known. */
  long objects() {
    return objects;
  }

  /** Returns whether turns may be taken: others count on this instance, and it hears of them. */
  boolean joined(long now) {
    return answered > 0 && well && heard >= first && now < leaseEnds && now < hearingEnds;
  }

  /** Returns who calls, to whom these are known to be gone. */
  Caller caller(Collection<String> goneToo) {
    List<String> alive = new ArrayList<>(living);
    if (!living.contains(name())) {
      alive.add(name());
    }
    return new Caller(
        name(),
        alive,
        List.copyOf(goneToo),
        clock.fence(ticker.nanos()),
        names.channels(),
        clock.now());
  }

  /** Says that this instance lives, or finds that nobody counts on that any more. */
  void tick(long now) {
    if (answered > 0 && now >= Math.min(leaseEnds, hearingEnds)) {
      lose();
    }
    beat();
  }

  private void beat() {
    if (!queued) {
      queued = true;
      Beat beat = new Beat();
      lane.add(beat::call, beat::answered);
    }
  }

  /** Runs {@code then} once it is known which of these live, or that it cannot be known now. */
  void check(List<String> some, Runnable then) {
    checks.add(new Check(some, then));
    beat();
  }

  private record Check(List<String> names, Runnable then) {}

  /** Returns which of these are gone. */
  List<String> goneOf(Collection<String> some) {
    return some.stream().filter(gone::contains).toList();
  }

  /** Returns whether all that was said was heard on the own channel. */
  boolean heardAll() {
    return heard == number;
  }

  /** Hears what this instance said to itself. */
  void hear(long said, long now) {
    boolean gap = heard >= first && said > heard + 1;
    heard = Math.max(heard, said);
    hearingEnds = now + names.leaseNanos();
    if (gap) {
      listener.missed();
    }
  }

  /** Leaves, so that nobody has to wait for the lease. */
  void leave() {
    lane.add(() -> call("leave", List.of()), this::words);
    answered = 0;
  }

  /** Returns a call of what all share. */
  Call call(String word, List<String> more) {
    List<String> args = new ArrayList<>(List.of(word, name(), born, clock.now()));
    args.addAll(more);
    return new Call(SCRIPT, names.key(), args);
  }

  /** Returns the words of an answer of that, or null when there is none. */
  @Nullable List<String> words(Reply reply) {
    if (reply.trouble() == null && reply.said() instanceof List<?> list && list.size() >= 5) {
      List<String> words = list.stream().map(String::valueOf).toList();
      born = words.get(2);
      objects = Long.parseLong(words.get(4));
      return words;
    }
    RedisTrouble trouble = reply.trouble();
    troubles.failed(trouble == null ? ObjectScript.odd() : trouble);
    return null;
  }

  private void lose() {
    generation++;
    answered = 0;
    first = 0;
    listener.lost();
  }

  /** One sign of life. */
  private final class Beat {
    private long mine;
    private long sentAt;
    private String by = "";
    private List<Check> then = List.of();

    Call call() {
      queued = false;
      mine = ++number;
      sentAt = ticker.nanos();
      by = name();
      then = List.copyOf(checks);
      checks.clear();
      return Fellows.this.call(
          "beat",
          List.of(
              Long.toString(mine),
              Long.toString(answered),
              Long.toString(names.leaseNanos() / NANOS_PER_MICRO),
              names.channel()));
    }

    void answered(Reply reply) {
      if (mine == 0) {
        queued = false; // it failed without being sent
      }
      List<String> words = words(reply);
      well = words != null;
      if (words != null && by.equals(name())) {
        clock.heard(sentAt, ticker.nanos(), Long.parseLong(words.getFirst()));
        if (words.get(1).equals("G")) {
          lose();
          beat();
        } else {
          joined(words.subList(5, words.size()));
        }
        troubles.well();
      }
      then.forEach(check -> check.then().run());
    }

    private void joined(List<String> now) {
      Set<String> before = living;
      living = Set.copyOf(now);
      if (first == 0) {
        first = mine;
        hearingEnds = sentAt + names.leaseNanos();
      }
      answered = mine;
      leaseEnds = sentAt + names.leaseNanos();
      then.forEach(check -> check.names().forEach(this::look));
      listener.well();
      boolean news = false;
      for (String each : before) {
        news |= look(each);
      }
      while (gone.size() > MOST_GONE) {
        gone.remove(gone.iterator().next());
      }
      if (news) {
        listener.othersGone();
      }
    }

    private boolean look(String each) {
      return !living.contains(each) && gone.add(each);
    }
  }
}
