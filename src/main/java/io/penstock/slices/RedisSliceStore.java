package io.penstock.slices;

import io.penstock.redis.GrantScript;
import io.penstock.redis.LuaScript;
import io.penstock.redis.RedisBreaker;
import io.penstock.redis.RedisDiagnosis;
import io.penstock.redis.RedisEviction;
import io.penstock.redis.RedisLink;
import io.penstock.redis.RedisLink.Call;
import io.penstock.redis.RedisLink.Reply;
import io.penstock.redis.RedisTrouble;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.redis.TroubleLog;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.SliceStore;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Slices that Redis grants. A round makes one script call per limit, and one per master for its
 * life, all at once.
 *
 * <p>The life is called last, over the same connection, so that it reveals anything lost before or
 * between the grants. A limit with an error or an invalid reply is left out of the answer alone; so
 * are the limits of a master of a cluster that is unreachable, late or faulty. A round fails with
 * {@link RedisTrouble} when all masters are.
 */
public final class RedisSliceStore implements SliceStore {
  private static final LuaScript LIFE = LuaScript.read("life.lua");
  private static final LuaScript GRANT = LuaScript.of(GrantScript.source());
  private static final String FORGET_MICROS = String.valueOf(TimeUnit.HOURS.toMicros(1));
  private static final String KEEP_MILLIS = String.valueOf(TimeUnit.DAYS.toMillis(2));

  /** Part of the key of each master's life. */
  private static final String LIFE_KEY = ":life:";

  /**
   * Result of a round.
   *
   * @param partial failure of some masters, or null
   */
  private record Answered(Answer answer, @Nullable RedisTrouble partial) {}

  private final RedisLink link;
  private final String namespace;
  private final long ttlNanos;
  private final Ticker ticker;
  private final @Nullable LongSupplier testMicros;
  private final RedisBreaker breaker;
  private final TroubleLog troubleLog = new TroubleLog("shared limits", "limit");
  private final MasterLives lives;

  /** Last answer of each master, by the key of its life. */
  private final Map<String, MasterLives.Life> seen = new ConcurrentHashMap<>();

  private final RedisEviction eviction = new RedisEviction();

  /** Added to the monotonic clock, it gives the approximate time of Redis. */
  private final AtomicLong offsetNanos;

  /**
   * Creates a store without contacting Redis.
   *
   * @param namespace prefix of all keys
   * @param ttlNanos lifetime of a slice, and silence after which a member counts as gone, ≥ 1
   */
  public RedisSliceStore(
      RedisLink link, String namespace, long ttlNanos, Ticker ticker, WallClock wall) {
    this(link, namespace, ttlNanos, ticker, wall.unixMillis() * 1_000_000, null);
  }

  /**
   * Creates a store without contacting Redis.
   *
   * @param nowNanos approximate time of Redis
   * @param testMicros time that Redis must use instead of its own, or null
   */
  public RedisSliceStore(
      RedisLink link,
      String namespace,
      long ttlNanos,
      Ticker ticker,
      long nowNanos,
      @Nullable LongSupplier testMicros) {
    if (ttlNanos < 1) {
      throw new IllegalArgumentException("ttlNanos is " + ttlNanos + ", expected at least 1");
    }
    this.link = link;
    this.namespace = namespace;
    this.ttlNanos = ttlNanos;
    this.ticker = ticker;
    this.offsetNanos = new AtomicLong(nowNanos - ticker.nanos());
    this.testMicros = testMicros;
    this.breaker = new RedisBreaker(ticker, link::connections);
    this.lives = new MasterLives(ttlNanos / 2);
  }

  @Override
  public CompletionStage<Answer> round(Round round) {
    List<Call> calls = new ArrayList<>();
    try {
      round.asks().forEach(ask -> calls.add(grantCall(round, ask)));
    } catch (IllegalArgumentException unshared) {
      return CompletableFuture.failedStage(unshared);
    }
    if (!breaker.tryAcquire()) {
      return failed(new RedisTrouble(Kind.PAUSED));
    }
    List<String> masters = new ArrayList<>();
    return link.call(
            calls,
            namespace + LIFE_KEY,
            key -> {
              masters.add(key);
              return lifeCall(key, round);
            })
        .thenApply(replies -> answered(round, masters, replies))
        .handle(this::settled)
        .thenCompose(stage -> stage);
  }

  private Call grantCall(Round round, Ask ask) {
    long now = testMicros == null ? ticker.nanos() + offsetNanos.get() : micros() * 1_000;
    GrantScript.Call call = GrantScript.call(round.member(), round.number(), ask, ttlNanos, now);
    GrantScript.Call timed = testMicros == null ? call : call.at(micros());
    return new Call(GRANT, namespace + ":" + timed.key(), timed.arguments());
  }

  private Call lifeCall(String key, Round round) {
    String time = testMicros == null ? "" : String.valueOf(micros());
    List<String> args = new ArrayList<>();
    args.addAll(List.of(round.member(), FORGET_MICROS, KEEP_MILLIS, time));
    args.addAll(List.of(String.valueOf(round.number()), round.complete() ? "1" : ""));
    MasterLives.Life last = seen.get(key);
    args.addAll(
        last == null
            ? List.of("", "", "0")
            : List.of(last.name(), last.run().name(), "" + last.count()));
    args.addAll(List.of(UUID.randomUUID().toString(), round.leaves() ? "1" : ""));
    for (Loss loss : round.losses()) {
      args.addAll(List.of("l", written(loss.id()), String.valueOf(loss.born())));
    }
    for (Missed missed : round.missed()) {
      args.addAll(List.of("m", missed.name(), String.valueOf(missed.lastHeartbeatNanos() / 1_000)));
    }
    return new Call(LIFE, key, args, true);
  }

  private static String written(LimitId id) {
    return id.kind().name().toLowerCase(Locale.ROOT) + " " + id.owner() + " " + id.counts();
  }

  private static List<Loss> losses(Map<String, Long> written) {
    List<Loss> losses = new ArrayList<>();
    written.forEach(
        (id, born) -> {
          String[] words = id.split(" ", 3);
          if (words.length == 3) {
            losses.add(new Loss(LimitId.parse(words[0], words[1], words[2]), born));
          }
        });
    return losses;
  }

  private long micros() {
    return testMicros == null ? 0 : testMicros.getAsLong();
  }

  private CompletionStage<Answer> settled(Answered answered, Throwable failure) {
    breaker.record(failure == null);
    if (failure != null) {
      return failed(RedisDiagnosis.of(failure));
    }
    if (answered.partial() == null) {
      troubleLog.recordSuccess();
    } else {
      troubleLog.recordFailure(answered.partial());
    }
    return eviction.look(link, namespace + LIFE_KEY).thenApply(looked -> answered.answer());
  }

  private CompletionStage<Answer> failed(RedisTrouble trouble) {
    troubleLog.recordFailure(trouble);
    return CompletableFuture.failedStage(trouble);
  }

  private Answered answered(Round round, List<String> masters, List<Reply> replies) {
    int asks = round.asks().size();
    List<Reply> closing = replies.subList(asks, replies.size());
    Map<Integer, RedisTrouble> bad = new TreeMap<>();
    for (Reply reply : replies.subList(0, asks)) {
      // An error that is not about one key concerns the whole master.
      if (reply.trouble() != null && reply.trouble().kind() != Kind.VALUE) {
        bad.putIfAbsent(reply.master(), reply.trouble());
      }
    }
    Map<Integer, MasterLives.Life> livesByShard = new TreeMap<>();
    closing.forEach(reply -> hear(reply, livesByShard, bad));
    livesByShard.keySet().removeAll(bad.keySet());
    if (livesByShard.isEmpty()) {
      throw worst(bad.values());
    }
    Map<String, Optional<MasterLives.Life>> livesByName = new TreeMap<>();
    for (int i = 0; i < masters.size(); i++) {
      livesByName.put(
          masters.get(i), Optional.ofNullable(livesByShard.get(closing.get(i).master())));
    }
    seen.keySet().retainAll(masters);
    livesByName.forEach((key, life) -> life.ifPresent(is -> seen.put(key, is)));
    List<Grant> given = new ArrayList<>();
    for (int i = 0; i < asks; i++) {
      // a master without an answer about its life may have lost it
      if (livesByShard.containsKey(replies.get(i).master())) {
        grant(round.asks().get(i), replies.get(i), given);
      }
    }
    MasterLives.Together all = lives.together(livesByName, ticker.nanos());
    offsetNanos.set(all.clockNanos() - ticker.nanos());
    return new Answered(
        new Answer(
            all.clockNanos(),
            all.name(),
            all.run(),
            all.count(),
            all.members(),
            given,
            losses(all.losses()),
            all.lostNanos()),
        bad.isEmpty() ? null : new RedisTrouble(worst(bad.values()).kind(), "some of its masters"));
  }

  private static void hear(
      Reply reply, Map<Integer, MasterLives.Life> livesByShard, Map<Integer, RedisTrouble> bad) {
    if (reply.trouble() != null) {
      bad.putIfAbsent(reply.master(), reply.trouble());
      return;
    }
    try {
      livesByShard.put(reply.master(), MasterLives.Life.read(reply.content()));
    } catch (IllegalArgumentException odd) {
      RedisTrouble trouble = new RedisTrouble(Kind.ODD, String.valueOf(odd.getMessage()));
      bad.putIfAbsent(reply.master(), trouble);
    }
  }

  /**
   * Returns the most telling failure: errors that masters answer, before those of masters that do
   * not answer.
   */
  private static RedisTrouble worst(Collection<RedisTrouble> bad) {
    return bad.stream()
        .filter(trouble -> trouble.kind() != Kind.AWAY && trouble.kind() != Kind.SLOW)
        .findFirst()
        .orElseGet(() -> bad.stream().findFirst().orElseGet(() -> new RedisTrouble(Kind.CLUSTER)));
  }

  private void grant(Ask ask, Reply reply, List<Grant> into) {
    if (reply.trouble() != null) {
      troubleLog.recordFailure(ask.id().toString(), reply.trouble());
      return;
    }
    try {
      GrantScript.Reply grantReply = GrantScript.reply(ask, reply.content());
      if (grantReply.grant() != null) {
        into.add(grantReply.grant());
      }
      troubleLog.recordSuccess(ask.id().toString());
    } catch (IllegalArgumentException odd) {
      troubleLog.recordFailure(
          ask.id().toString(), new RedisTrouble(Kind.VALUE, String.valueOf(odd.getMessage())));
    }
  }

  /** Returns whether Redis reported that it evicts keys when its memory is full. */
  boolean evicts() {
    return eviction.warned();
  }

  /** Returns the failures so far. */
  public TroubleLog troubles() {
    return troubleLog;
  }
}
