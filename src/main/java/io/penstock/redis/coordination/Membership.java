package io.penstock.redis.coordination;

import io.penstock.coordination.ObjectKind;
import io.penstock.redis.LuaScript;
import io.penstock.redis.RedisLink.Call;
import io.penstock.redis.RedisLink.Reply;
import io.penstock.redis.RedisTrouble;
import io.penstock.redis.TroubleLog;
import io.penstock.redis.coordination.ObjectScript.Caller;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Membership of the instances that use shared objects. Each instance sends heartbeats and receives
 * them back on its own channel, which proves that it also receives news of its turns. An instance
 * without a heartbeat for the duration of a lease is gone, and its waiting turns with it; it never
 * comes back under the same name. Used by one thread at a time.
 */
final class Membership {
  static final LuaScript SCRIPT = LuaScript.read("fellows.lua");

  /** Time between two heartbeats. */
  static final long BEAT_NANOS = 1_000_000_000L;

  /** Silence after which an instance is gone. */
  static final long LEASE_NANOS = 5 * BEAT_NANOS;

  /** Number of words with which all answers of the script begin. */
  static final int COMMON_WORDS = 6;

  private static final long NANOS_PER_MICRO = 1_000;

  /** Maximum number of gone instances that are remembered. */
  private static final int MOST_GONE = 64;

  /** Subject of the log when Redis has no memory for objects that are created or grow. */
  private static final String NEW_OBJECTS = "that needs more memory";

  /** Callbacks for changes of the membership. */
  interface Listener {
    /** This instance was dropped from the membership; its waiting turns are gone. */
    void lost();

    /** This instance is a member, still or again. */
    void well();

    /** Other instances are gone, and their waiting turns with them. */
    void othersDeparted();

    /** A publication may have been missed here. */
    void missed();
  }

  /**
   * Names and lease of one instance.
   *
   * @param key of the data that all instances share
   * @param channels prefix of the instances' channels
   * @param process letters and digits, different after each start of an instance
   * @param leaseNanos silence after which an instance is gone
   */
  record Names(String key, String channels, String process, long leaseNanos) {
    /** Returns the channel of this instance. */
    String channel() {
      return channels + process;
    }
  }

  private final Names names;
  private final ScriptPipeline scriptPipeline;
  private final Ticker ticker;
  private final StoreClock clock;
  private final TroubleLog troubleLog;
  private final Listener listener;
  private final List<Check> checks = new ArrayList<>();
  private final Set<String> departed = new LinkedHashSet<>();
  private Set<String> living = Set.of();
  private int generation = 1;
  private String born = "";
  private long objects;
  private long bytes;
  private long number;
  private boolean queued;
  private boolean well;

  /** First heartbeat of this generation that was answered, and the last one; 0 for none. */
  private long first;

  private long answered;

  /** Last heartbeat received on the own channel. */
  private long lastHeartbeatReceived;

  private long leaseEnds;
  private long hearingEnds;

  Membership(
      Names names,
      ScriptPipeline scriptPipeline,
      Ticker ticker,
      StoreClock clock,
      TroubleLog troubleLog,
      Listener listener) {
    this.names = names;
    this.scriptPipeline = scriptPipeline;
    this.ticker = ticker;
    this.clock = clock;
    this.troubleLog = troubleLog;
    this.listener = listener;
  }

  /** Returns the name of this instance, valid until its membership is lost. */
  String name() {
    return names.process() + "." + generation;
  }

  /** Returns the key of an object; all its data is in one slot. */
  String key(ObjectKind kind, String name) {
    return names.channels() + "{" + kind.word() + ":" + name + "}";
  }

  /** Returns the number of objects as last answered. */
  long objects() {
    return objects;
  }

  /** Returns the bytes of all objects as last answered. */
  long bytes() {
    return bytes;
  }

  /** Returns whether turns may begin: this instance is a member, and receives its publications. */
  boolean joined(long now) {
    return answered > 0
        && well
        && lastHeartbeatReceived >= first
        && now < leaseEnds
        && now < hearingEnds;
  }

  /**
   * Returns the arguments about the calling instance.
   *
   * @param knownDeparted instances that the caller knows to be gone
   */
  Caller caller(Collection<String> knownDeparted) {
    List<String> alive = new ArrayList<>(living);
    if (!living.contains(name())) {
      alive.add(name());
    }
    return new Caller(
        name(),
        alive,
        List.copyOf(knownDeparted),
        clock.fence(ticker.nanos()),
        names.channels(),
        clock.now());
  }

  /** Sends a heartbeat, after checking whether the membership was lost meanwhile. */
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
      scriptPipeline.add(beat::call, beat::answered);
    }
  }

  /**
   * Runs {@code then} once it is known which of the instances live, or that this cannot be found
   * out now.
   */
  void check(List<String> some, Runnable then) {
    checks.add(new Check(some, then));
    beat();
  }

  private record Check(List<String> names, Runnable then) {}

  /** Returns those of the instances that are gone. */
  List<String> departedAmong(Collection<String> some) {
    return some.stream().filter(departed::contains).toList();
  }

  /** Returns whether all heartbeats sent were received on the own channel. */
  boolean receivedAllHeartbeats() {
    return lastHeartbeatReceived == number;
  }

  /** Takes in a heartbeat received on the own channel. */
  void receiveHeartbeat(long heartbeat, long now) {
    boolean gap = lastHeartbeatReceived >= first && heartbeat > lastHeartbeatReceived + 1;
    lastHeartbeatReceived = Math.max(lastHeartbeatReceived, heartbeat);
    hearingEnds = now + names.leaseNanos();
    if (gap) {
      listener.missed();
    }
  }

  /** Leaves the membership, so that other instances need not wait for the lease. */
  void leave() {
    scriptPipeline.add(() -> call("leave", List.of()), this::words);
    answered = 0;
  }

  /** Returns a call of the membership script. */
  Call call(String word, List<String> more) {
    List<String> args = new ArrayList<>(List.of(word, name(), born, clock.now()));
    args.addAll(more);
    return new Call(SCRIPT, names.key(), args);
  }

  /** Returns the words of an answer of that script, or null when there is none. */
  @Nullable List<String> words(Reply reply) {
    if (reply.trouble() == null
        && reply.content() instanceof List<?> list
        && list.size() >= COMMON_WORDS) {
      List<String> words = list.stream().map(String::valueOf).toList();
      born = words.get(2);
      objects = Long.parseLong(words.get(4));
      bytes = Long.parseLong(words.get(5));
      return words;
    }
    RedisTrouble trouble = reply.trouble();
    troubleLog.recordFailure(trouble == null ? ObjectScript.odd() : trouble);
    return null;
  }

  /** Records whether Redis has memory for new objects. */
  void recordMemory(boolean enough) {
    if (enough) {
      troubleLog.recordSuccess(NEW_OBJECTS);
    } else {
      troubleLog.recordFailure(NEW_OBJECTS, new RedisTrouble(RedisTrouble.Kind.MEMORY));
    }
  }

  private void lose() {
    generation++;
    answered = 0;
    first = 0;
    listener.lost();
  }

  /** One heartbeat. */
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
      return Membership.this.call(
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
        clock.addReading(sentAt, ticker.nanos(), Long.parseLong(words.getFirst()));
        if (words.get(1).equals("G")) {
          lose();
          beat();
        } else {
          joined(words.subList(COMMON_WORDS, words.size()));
        }
        troubleLog.recordSuccess();
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
      then.forEach(check -> check.names().forEach(this::noteIfDeparted));
      listener.well();
      boolean changed = false;
      for (String each : before) {
        changed |= noteIfDeparted(each);
      }
      while (departed.size() > MOST_GONE) {
        departed.remove(departed.iterator().next());
      }
      if (changed) {
        listener.othersDeparted();
      }
    }

    private boolean noteIfDeparted(String each) {
      return !living.contains(each) && departed.add(each);
    }
  }
}
