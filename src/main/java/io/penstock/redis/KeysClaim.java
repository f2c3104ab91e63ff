package io.penstock.redis;

import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims in Redis that this instance keeps keys where no other instance sees them, and detects a
 * claim of another instance: in one namespace, only one instance may do so. A claim expires unless
 * it is renewed. Thread-safe; nothing blocks.
 */
public final class KeysClaim {
  /** Lifetime of a claim without renewal. */
  static final long LEASE_MILLIS = 10_000;

  private static final long RENEW_NANOS = TimeUnit.MILLISECONDS.toNanos(LEASE_MILLIS / 3);
  private static final long LOOK_MILLIS = 500;
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.keys");
  private static final LuaScript CLAIM = LuaScript.read("claim.lua");
  private static final Pattern NAME = Pattern.compile("[\\w.@:-]{1,200}");

  /** Result of a claim. */
  public sealed interface Outcome {}

  /** Only this instance keeps keys of its own. */
  public record Ours() implements Outcome {}

  /**
   * Another instance that is alive has the claim.
   *
   * @param called name that it gave itself
   */
  public record Theirs(String called) implements Outcome {}

  /**
   * Redis gave no answer.
   *
   * @param why in a few words
   */
  public record Unknown(String why) implements Outcome {}

  /**
   * Holder of the claim.
   *
   * @param leftMillis time until the claim expires unless it is renewed
   */
  private record Holder(String member, String called, long leftMillis) {}

  private final String key;
  private final String member;
  private final String called;
  private CompletableFuture<?> last = CompletableFuture.completedFuture(null);
  private boolean left;
  private boolean other;

  /**
   * Creates a claim that is not made yet.
   *
   * @param member this instance, under a different name after each start
   * @param called name for display
   */
  public KeysClaim(String namespace, String member, String called) {
    this.key = namespace + ":keys-store";
    this.member = member;
    this.called = called;
  }

  /**
   * Makes the claim. If another instance has it, looks again until that claim has been renewed, or
   * has expired because its holder is dead.
   */
  public CompletionStage<Outcome> take(RedisLink link) {
    return take(link, null);
  }

  private CompletionStage<Outcome> take(RedisLink link, @Nullable Holder before) {
    return call(link, LEASE_MILLIS)
        .thenCompose(holder -> judge(link, before, holder))
        .exceptionally(
            failure -> new Unknown(String.valueOf(RedisDiagnosis.of(failure).getMessage())));
  }

  private CompletionStage<Outcome> judge(
      RedisLink link, @Nullable Holder before, @Nullable Holder holder) {
    if (holder == null) {
      return CompletableFuture.completedStage(new Ours());
    }
    if (before != null
        && before.member().equals(holder.member())
        && holder.leftMillis() > before.leftMillis()) {
      return CompletableFuture.completedStage(new Theirs(holder.called()));
    }
    Executor later = CompletableFuture.delayedExecutor(LOOK_MILLIS, TimeUnit.MILLISECONDS);
    return CompletableFuture.supplyAsync(() -> holder, later).thenCompose(seen -> take(link, seen));
  }

  /** Returns the other holder of the claim, or null. */
  private CompletableFuture<@Nullable Holder> call(RedisLink link, long leaseMillis) {
    return link.ask(CLAIM, key, member, called, String.valueOf(leaseMillis))
        .thenApply(words -> words.isEmpty() ? null : holder(words));
  }

  private static Holder holder(List<String> words) {
    // it is displayed, so it must look like a name
    String called = NAME.matcher(words.get(1)).matches() ? words.get(1) : "another instance";
    return new Holder(words.getFirst(), called, Long.parseLong(words.get(2)));
  }

  /**
   * Renews the claim until this instance leaves, and logs once when another instance has the claim
   * instead.
   *
   * @param alarm used for nothing else
   */
  public void hold(RedisLink link, StepAlarm alarm, Ticker ticker) {
    renew(link);
    alarm.at(ticker.nanos() + RENEW_NANOS, () -> hold(link, alarm, ticker));
  }

  private synchronized void renew(RedisLink link) {
    if (left || !last.isDone()) {
      return;
    }
    // failures of Redis are logged elsewhere
    last = call(link, LEASE_MILLIS).thenAccept(this::note).exceptionally(failure -> null);
  }

  private synchronized void note(@Nullable Holder holder) {
    if (holder != null && !other) {
      LOG.error(
          "keys that are made here are not known to {}, which keeps keys of its own: expected"
              + " penstock.keys.store=sql, with the same penstock.database.url for all",
          holder.called());
    }
    other = holder != null;
  }

  /** Gives up the claim, so that another instance can make it at once. */
  public synchronized CompletionStage<?> leave(RedisLink link) {
    left = true;
    return last.thenCompose(done -> call(link, 0));
  }
}
