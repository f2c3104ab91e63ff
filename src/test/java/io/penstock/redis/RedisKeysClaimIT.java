package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.FaultProxy;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.redis.KeysClaim.Ours;
import io.penstock.redis.KeysClaim.Outcome;
import io.penstock.redis.KeysClaim.Theirs;
import io.penstock.redis.KeysClaim.Unknown;
import io.penstock.time.Ticker;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests which instance may keep keys of its own, on a real Redis. */
class RedisKeysClaimIT {
  private static final RedisServer REDIS = RedisServer.shared();

  /** No test here is about slow answers, and a busy machine can take seconds to connect. */
  private static final int TIMEOUT_MILLIS = 30_000;

  private final String namespace = "claim-" + UUID.randomUUID();
  private final String key = namespace + ":keys-store";
  private final RedisLink link = link(REDIS.port());
  private final KeysClaim claim = new KeysClaim(namespace, "me", "7@here");

  private static RedisLink link(int port) {
    RedisAddress address = RedisAddress.parse("redis://127.0.0.1:" + port, null, null);
    return new RedisLink(address, null, TIMEOUT_MILLIS, Ticker.system());
  }

  @AfterEach
  void close() {
    link.close();
  }

  private static Outcome outcome(KeysClaim of, RedisLink over) {
    return PatientWaits.join(of.take(over));
  }

  private void held(String called) {
    REDIS.command("HSET", key, "member", "other", "called", called);
  }

  private String member() {
    return REDIS.command("HGET", key, "member");
  }

  private void awaitLeave(KeysClaim of) {
    PatientWaits.join(of.leave(link));
  }

  @Test
  void nobodyElse_isClaimedForALease_andFreeOnceItLeaves() {
    assertThat(outcome(claim, link)).isEqualTo(new Ours());
    assertThat(Long.parseLong(REDIS.command("PTTL", key).substring(1)))
        .isBetween(1L, KeysClaim.LEASE_MILLIS);
    assertThat(outcome(claim, link)).as("once more").isEqualTo(new Ours());
    awaitLeave(claim);
    assertThat(REDIS.command("EXISTS", key)).isEqualTo(":0");
  }

  @Test
  void oneThatRenews_hasIt() {
    held("1@there");
    REDIS.command("PEXPIRE", key, "5000");
    CompletableFuture<Outcome> outcome = claim.take(link).toCompletableFuture();
    PatientWaits.await("it is judged")
        .until(
            () -> {
              // the time left grows, so the holder lives
              REDIS.command("PEXPIRE", key, "9000");
              return outcome.isDone();
            });
    assertThat(outcome.join()).isEqualTo(new Theirs("1@there"));
    awaitLeave(claim);
    assertThat(member()).as("what is not its own it does not give back").isEqualTo("other");
  }

  @Test
  void oneThatCrashed_hasItUntilItsLeaseEnds() {
    held("1@dead");
    REDIS.command("PEXPIRE", key, "1500");
    assertThat(outcome(claim, link)).isEqualTo(new Ours());
    assertThat(member()).isEqualTo("me");
  }

  @Test
  void claimThatWouldNeverEnd_doesSoAfterALease() {
    held("1@dead");
    assertThat(outcome(claim, link)).isEqualTo(new Ours());
    assertThat(member()).isEqualTo("me");
  }

  @Test
  void nameThatIsNone_isNotShown() {
    held("no\r\nname");
    CompletableFuture<Outcome> outcome = claim.take(link).toCompletableFuture();
    PatientWaits.await("it is judged")
        .until(
            () -> {
              REDIS.command("PEXPIRE", key, "9000");
              return outcome.isDone();
            });
    assertThat(outcome.join()).isEqualTo(new Theirs("another instance"));
  }

  @Test
  void somethingElseUnderTheKey_isNoAnswer() {
    REDIS.command("SET", key, "garbage");
    assertThat(outcome(claim, link))
        .isEqualTo(new Unknown("a key in Redis holds something else than what belongs there"));
    assertThat(REDIS.command("GET", key)).isEqualTo("garbage");
  }

  @Test
  void redisThatDoesNotAnswer_isNoAnswer() {
    try (FaultProxy proxy = new FaultProxy(REDIS.port())) {
      proxy.become(FaultProxy.Manner.RESET);
      try (RedisLink bad = link(proxy.port())) {
        assertThat(outcome(claim, bad)).isInstanceOf(Unknown.class);
      }
    }
  }
}
