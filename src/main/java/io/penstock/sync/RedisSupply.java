package io.penstock.sync;

import io.penstock.quota.Supply;
import io.penstock.sync.RedisLink.Call;
import io.penstock.sync.RedisLink.Reply;
import io.penstock.sync.RedisTrouble.Kind;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Slices that Redis hands out: one script call a limit and one a master for its life, all at once.
 *
 * <p>The life is asked for last, over the same connection: whatever was lost before or between the
 * grants shows in it. A limit that Redis or its reply fails is left out of the answer, alone. A
 * round fails with {@link RedisTrouble}, when Redis is away, late, or not as it should be.
 */
public final class RedisSupply implements Supply {
  private static final Script LIFE = Script.read("life.lua");
  private static final Script GRANT = Script.of(GrantScript.source());
  private static final String FORGET_MICROS = String.valueOf(TimeUnit.HOURS.toMicros(1));
  private static final String KEEP_MILLIS = String.valueOf(TimeUnit.DAYS.toMillis(2));

  private final RedisLink link;
  private final String namespace;
  private final long ttlNanos;
  private final Ticker ticker;
  private final @Nullable LongSupplier testMicros;
  private final Breaker breaker;
  private final Troubles troubles = new Troubles("shared limits");
  private final Masters lives = new Masters();

  /** What to add to the monotonic clock for about the time of Redis. */
  private final AtomicLong offsetNanos;

  /**
   * Asks nothing yet.
   *
   * @param namespace before all keys
   * @param ttlNanos how long a slice may be spent, and how long a member that is silent lives, ≥ 1
   */
  public RedisSupply(
      RedisLink link, String namespace, long ttlNanos, Ticker ticker, WallClock wall) {
    this(link, namespace, ttlNanos, ticker, wall.unixMillis() * 1_000_000, null);
  }

  /**
   * Asks nothing yet.
   *
   * @param nowNanos about what the clock of Redis says
   * @param testMicros what it has to take for it, or null
   */
  RedisSupply(
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
    this.breaker = new Breaker(ticker);
  }

  @Override
  public CompletionStage<Answer> round(Round round) {
    List<Call> calls = new ArrayList<>();
    try {
      round.asks().forEach(ask -> calls.add(grantCall(round, ask)));
    } catch (IllegalArgumentException unshared) {
      return CompletableFuture.failedStage(unshared);
    }
    if (!breaker.lets()) {
      return failed(new RedisTrouble(Kind.PAUSED));
    }
    return link.call(calls, namespace + ":life:", key -> lifeCall(key, round.member()))
        .thenApply(replies -> answer(round, replies))
        .handle(this::settled)
        .thenCompose(stage -> stage);
  }

  private Call grantCall(Round round, Ask ask) {
    long now = testMicros == null ? ticker.nanos() + offsetNanos.get() : micros() * 1_000;
    GrantScript.Call call = GrantScript.call(round.member(), round.number(), ask, ttlNanos, now);
    GrantScript.Call timed = testMicros == null ? call : call.at(micros());
    return new Call(GRANT, namespace + ":" + timed.key(), timed.arguments());
  }

  private Call lifeCall(String key, String member) {
    String time = testMicros == null ? "" : String.valueOf(micros());
    return new Call(LIFE, key, List.of(member, FORGET_MICROS, KEEP_MILLIS, time), true);
  }

  private long micros() {
    return testMicros == null ? 0 : testMicros.getAsLong();
  }

  private CompletionStage<Answer> settled(Answer answer, Throwable failure) {
    breaker.told(failure == null);
    if (failure != null) {
      return failed(Diagnosis.of(failure));
    }
    troubles.well();
    return CompletableFuture.completedStage(answer);
  }

  private CompletionStage<Answer> failed(RedisTrouble trouble) {
    troubles.failed(trouble);
    return CompletableFuture.failedStage(trouble);
  }

  private Answer answer(Round round, List<Reply> replies) {
    replies.forEach(RedisSupply::refuseAll);
    int asks = round.asks().size();
    List<Masters.Life> masters = new ArrayList<>();
    for (Reply reply : replies.subList(asks, replies.size())) {
      if (reply.trouble() != null) {
        throw reply.trouble();
      }
      try {
        masters.add(Masters.Life.read(reply.said()));
      } catch (IllegalArgumentException odd) {
        throw new RedisTrouble(Kind.ODD, String.valueOf(odd.getMessage()));
      }
    }
    List<Grant> given = new ArrayList<>();
    for (int i = 0; i < asks; i++) {
      grant(round.asks().get(i), replies.get(i), given);
    }
    Masters.Together all = lives.together(masters);
    offsetNanos.set(all.clockNanos() - ticker.nanos());
    return new Answer(all.clockNanos(), all.name(), all.count(), all.members(), given);
  }

  /** What is not about one key is about all. */
  private static void refuseAll(Reply reply) {
    if (reply.trouble() != null && reply.trouble().kind() != Kind.VALUE) {
      throw reply.trouble();
    }
  }

  private void grant(Ask ask, Reply reply, List<Grant> into) {
    if (reply.trouble() != null) {
      troubles.failed(ask.id().toString(), reply.trouble());
      return;
    }
    try {
      Grant grant = GrantScript.reply(ask, reply.said()).grant();
      if (!grant.slices().isEmpty()) {
        into.add(grant);
      }
      troubles.well(ask.id().toString());
    } catch (IllegalArgumentException odd) {
      troubles.failed(
          ask.id().toString(), new RedisTrouble(Kind.VALUE, String.valueOf(odd.getMessage())));
    }
  }

  /** Returns what went wrong so far. */
  public Troubles troubles() {
    return troubles;
  }
}
