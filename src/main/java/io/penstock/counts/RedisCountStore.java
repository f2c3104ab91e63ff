package io.penstock.counts;

import io.penstock.redis.LuaScript;
import io.penstock.redis.RedisBreaker;
import io.penstock.redis.RedisDiagnosis;
import io.penstock.redis.RedisLink;
import io.penstock.redis.RedisLink.Call;
import io.penstock.redis.RedisLink.Reply;
import io.penstock.redis.RedisTrouble;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.redis.TroubleLog;
import io.penstock.sharing.CountStore;
import io.penstock.sharing.LimitId;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts in the hashes of their limits. An exchange writes the new local counts, asks which limits
 * others have changed since the last exchange, and reads those; unchanged limits cost nothing.
 *
 * <p>Fails with {@link RedisTrouble}. A limit with a foreign value under its key fails alone, and
 * so do the limits of an unreachable master of a cluster; the last known counts of others remain
 * valid for them. While the master that records the changes is unreachable, only limits with new
 * local counts are read.
 */
public final class RedisCountStore implements CountStore {
  private static final LuaScript COUNTS = LuaScript.read("counts.lua");
  private static final LuaScript CHANGED = LuaScript.read("changed.lua");
  private static final String REMEMBERED_MICROS = String.valueOf(TimeUnit.DAYS.toMicros(62));

  /** Results of the parts of an exchange, one after another. */
  private static final class Parts {
    private final boolean ofMasters;
    private volatile boolean answered;
    private volatile @Nullable RedisTrouble trouble;

    /**
     * Creates an object without results.
     *
     * @param ofMasters whether a part may fail because another master has it
     */
    Parts(boolean ofMasters) {
      this.ofMasters = ofMasters;
    }

    /** Records a reply; returns whether its master answered, even with an error about the key. */
    boolean note(Reply reply) {
      RedisTrouble failed = reply.trouble();
      if (failed == null || failed.kind() == Kind.VALUE) {
        answered = true;
        return true;
      }
      trouble = failed;
      return false;
    }

    /** Throws when the failure is more than an unreachable master. */
    void check() {
      RedisTrouble failed = trouble;
      if (failed != null && !(ofMasters && answered && failed.kind() != Kind.ACCESS)) {
        throw failed;
      }
    }
  }

  private final RedisLink link;
  private final String namespace;
  private final WallClock clock;
  private final boolean clockIsOurs;
  private final RedisBreaker breaker;
  private final TroubleLog troubleLog = new TroubleLog("counts of shared limits", "limit");
  private final Map<String, CountsRead> readers = new ConcurrentHashMap<>();

  /** Creates counts without contacting Redis. */
  public RedisCountStore(RedisLink link, String namespace, Ticker ticker, WallClock clock) {
    this(link, namespace, ticker, clock, false);
  }

  /**
   * Creates counts without contacting Redis.
   *
   * @param clockIsOurs whether Redis must use the given clock, for tests
   */
  public RedisCountStore(
      RedisLink link, String namespace, Ticker ticker, WallClock clock, boolean clockIsOurs) {
    this.link = link;
    this.namespace = namespace;
    this.clock = clock;
    this.clockIsOurs = clockIsOurs;
    this.breaker = new RedisBreaker(ticker, link::connections);
  }

  @Override
  public CompletionStage<List<Count>> exchange(String writer, List<Count> own) {
    if (!breaker.tryAcquire()) {
      return failed(new RedisTrouble(Kind.PAUSED));
    }
    CountsRead read = readers.computeIfAbsent(writer, none -> new CountsRead());
    Map<String, List<Count>> byLimit = new LinkedHashMap<>();
    own.forEach(
        count -> byLimit.computeIfAbsent(count.id().text(), none -> new ArrayList<>()).add(count));
    Parts parts = new Parts(link.isCluster());
    return tell(writer, byLimit, read, parts)
        .thenCompose(done -> changed(byLimit.keySet(), read, parts))
        .thenCompose(others -> tell(writer, unchanged(others), read, parts))
        .handle((done, failure) -> settled(read, parts, failure))
        .thenCompose(stage -> stage);
  }

  /**
   * Reads the counts of all writers except {@code writer} for one limit.
   *
   * @return the sum over all others by cell; fails as {@link #exchange} does
   */
  public CompletionStage<List<Count>> others(String writer, LimitId id) {
    if (!breaker.tryAcquire()) {
      return failed(new RedisTrouble(Kind.PAUSED));
    }
    CountsRead read = new CountsRead();
    return tell(writer, Map.of(id.text(), List.of()), read, new Parts(link.isCluster()))
        .handle(
            (done, failure) ->
                failure == null
                    ? CompletableFuture.completedStage(read.others(clock.unixMillis()))
                    : failed(RedisDiagnosis.of(failure)))
        .thenCompose(stage -> stage);
  }

  private CompletionStage<List<Count>> settled(CountsRead read, Parts parts, Throwable failure) {
    breaker.record(failure == null);
    if (failure != null) {
      return failed(RedisDiagnosis.of(failure));
    }
    if (parts.trouble == null) {
      troubleLog.recordSuccess();
    } else {
      troubleLog.recordFailure(new RedisTrouble(parts.trouble.kind(), "some of its masters"));
    }
    read.settle();
    return CompletableFuture.completedStage(read.others(clock.unixMillis()));
  }

  private CompletionStage<List<Count>> failed(RedisTrouble trouble) {
    troubleLog.recordFailure(trouble);
    return CompletableFuture.failedStage(trouble);
  }

  private static Map<String, List<Count>> unchanged(Set<String> limits) {
    Map<String, List<Count>> none = new LinkedHashMap<>();
    limits.forEach(limit -> none.put(limit, List.of()));
    return none;
  }

  /** Writes the new counts of limits, and reads the counts of others for them. */
  private CompletableFuture<?> tell(
      String writer, Map<String, List<Count>> byLimit, CountsRead read, Parts parts) {
    if (byLimit.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    List<String> limits = List.copyOf(byLimit.keySet());
    List<Call> calls = new ArrayList<>();
    byLimit.forEach((limit, counts) -> calls.add(call(writer, limit, counts)));
    return link.call(calls)
        .thenAccept(
            replies -> {
              for (int i = 0; i < limits.size(); i++) {
                if (parts.note(replies.get(i))) {
                  take(limits.get(i), replies.get(i), read);
                } else {
                  read.miss(limits.get(i));
                }
              }
              parts.check();
            });
  }

  private Call call(String writer, String limit, List<Count> counts) {
    List<String> args = new ArrayList<>();
    args.add(URLEncoder.encode(writer, StandardCharsets.UTF_8));
    args.add(clockIsOurs ? String.valueOf(clock.unixMillis()) : "");
    for (Count count : counts) {
      args.add(count.id().field());
      args.add(String.valueOf(count.cell()));
      args.add(String.valueOf(count.amount()));
    }
    return new Call(COUNTS, namespace + ":" + limit, args);
  }

  private void take(String limit, Reply reply, CountsRead read) {
    try {
      if (reply.trouble() != null) {
        throw reply.trouble();
      }
      read.take(limit, reply.content());
      troubleLog.recordSuccess(limit);
    } catch (RedisTrouble trouble) {
      troubleLog.recordFailure(limit, trouble);
    } catch (IllegalArgumentException odd) {
      troubleLog.recordFailure(limit, new RedisTrouble(Kind.VALUE));
    }
  }

  private CompletableFuture<Set<String>> changed(Set<String> own, CountsRead read, Parts parts) {
    List<String> args = new ArrayList<>(List.of(read.since(), REMEMBERED_MICROS));
    args.addAll(read.announce(own));
    return link.call(List.of(new Call(CHANGED, namespace + ":counts", args)))
        .thenApply(
            replies -> {
              Reply reply = replies.getFirst();
              if (!parts.note(reply)) {
                parts.check();
                return Set.of();
              }
              if (reply.trouble() != null) {
                throw reply.trouble();
              }
              Set<String> others = new LinkedHashSet<>(read.changed(reply.content()));
              others.removeAll(own);
              return others;
            });
  }

  /** Returns the limit for a key and a field. */
  static LimitId id(String limit, String field) {
    int colon = field.indexOf(':');
    String counts =
        field.substring(0, Math.max(0, colon))
            + ":"
            + Long.parseLong(field.substring(colon + 1)) * 1_000_000;
    String[] words = limit.split(":", 2);
    if (words.length == 2 && words[0].equals("ratelimit")) {
      return LimitId.parse("upstream", words[1], counts);
    }
    String[] parts = limit.split(":", 3);
    if (parts.length == 3 && parts[0].equals("limit")) {
      return LimitId.parse(parts[1], parts[2], counts);
    }
    throw new IllegalArgumentException("'" + limit + "' is not the key of a limit");
  }

  /** Returns the failures so far. */
  public TroubleLog troubles() {
    return troubleLog;
  }
}
