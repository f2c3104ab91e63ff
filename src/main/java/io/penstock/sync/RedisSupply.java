package io.penstock.sync;

import io.penstock.quota.Supply;
import io.penstock.sync.RedisLink.Call;
import io.penstock.sync.RedisLink.Reply;
import io.penstock.sync.RedisTrouble.Kind;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Slices that Redis hands out: one script call a limit and one a master for its life, all at once.
 *
 * <p>The life is asked for last, over the same connection: whatever was lost before or between the
 * grants shows in it. A limit that Redis or its reply fails is left out of the answer, alone. A
 * round fails with {@link RedisTrouble}, when Redis is away, late, or not as it should be.
 */
public final class RedisSupply implements Supply {
  private static final Script LIFE = Script.read("life.lua");
  private static final String FORGET_MICROS = String.valueOf(TimeUnit.HOURS.toMicros(1));
  private static final String KEEP_MILLIS = String.valueOf(TimeUnit.DAYS.toMillis(2));

  private final RedisLink link;
  private final String namespace;
  private final GrantCalls grants;
  private final Breaker breaker;
  private final Troubles troubles = new Troubles("shared limits");
  private final Lives lives = new Lives();

  /** Asks nothing yet. */
  RedisSupply(RedisLink link, String namespace, GrantCalls grants, Ticker ticker) {
    this.link = link;
    this.namespace = namespace;
    this.grants = grants;
    this.breaker = new Breaker(ticker);
  }

  @Override
  public CompletionStage<Answer> round(Round round) {
    if (!breaker.lets()) {
      return failed(new RedisTrouble(Kind.PAUSED));
    }
    List<Call> calls = new ArrayList<>();
    for (Ask ask : round.asks()) {
      calls.add(grants.call(key(ask), round.member(), round.number(), ask));
    }
    return link.call(calls, namespace + ":life:", key -> lifeCall(key, round.member()))
        .thenApply(replies -> answer(round, replies))
        .handle(this::settled)
        .thenCompose(stage -> stage);
  }

  private String key(Ask ask) {
    return namespace + ":" + ask.id().text();
  }

  private static Call lifeCall(String key, String member) {
    return new Call(LIFE, key, List.of(member, FORGET_MICROS, KEEP_MILLIS), true);
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
    List<Lives.Life> masters = new ArrayList<>();
    for (Reply reply : replies.subList(asks, replies.size())) {
      if (reply.trouble() != null) {
        throw reply.trouble();
      }
      try {
        masters.add(Lives.Life.read(reply.said()));
      } catch (IllegalArgumentException odd) {
        throw new RedisTrouble(Kind.ODD, String.valueOf(odd.getMessage()));
      }
    }
    List<Grant> given = new ArrayList<>();
    for (int i = 0; i < asks; i++) {
      grant(round.asks().get(i), replies.get(i), given);
    }
    Lives.Together all = lives.together(masters);
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
      troubles.failed(ask.id(), reply.trouble());
      return;
    }
    try {
      Grant grant = grants.grant(ask, reply.said());
      if (grant != null && !grant.slices().isEmpty()) {
        into.add(grant);
      }
      troubles.well(ask.id());
    } catch (IllegalArgumentException odd) {
      troubles.failed(ask.id(), new RedisTrouble(Kind.VALUE, String.valueOf(odd.getMessage())));
    }
  }

  /** Returns what went wrong so far. */
  public Troubles troubles() {
    return troubles;
  }
}
