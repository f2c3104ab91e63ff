package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisCluster;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.sharing.SliceFixture;
import io.penstock.slices.RedisSliceStore;
import io.penstock.suite.DocumentPages;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Tests a Redis user with exactly the rights that sharing needs. */
class RedisAclIT {
  /** Commands that call scripts, and all commands in them. */
  private static final List<String> SCRIPTS =
      List.of(
          "eval",
          "evalsha",
          "hdel",
          "hget",
          "hgetall",
          "hincrby",
          "hmget",
          "hset",
          "info",
          "pexpire",
          "pttl",
          "time",
          "zadd",
          "zrangebyscore",
          "zremrangebyscore");

  /** Rule from {@code src/docs/instances.md}, except for the password and the namespace. */
  private static final String RULE =
      "~ns:* resetchannels -@all +ping +" + String.join(" +", SCRIPTS);

  private static final String[] ADMIN = {"AUTH", "admin", "admin"};

  private static String[] users(String more) {
    return new String[] {
      "user default off", "user admin on >admin ~* &* +@all", "user app on >secret " + RULE + more
    };
  }

  private static RedisAddress address(String url) {
    return RedisAddress.parse(url, "app", "secret");
  }

  private static boolean works(RedisPeer peer) {
    try {
      return peer.trouble() == null
          && RedisPeer.sum(peer.round(RedisPeer.ask("k", 1))) == 1
          && peer.exchange(RedisPeer.count("c", 1)).isEmpty();
    } catch (CompletionException refused) {
      return false;
    }
  }

  @Test
  void rights_areThoseOfThePage() {
    assertThat(DocumentPages.text(DocumentPages.page("instances.md")))
        .contains("`" + RULE.replace("~ns:", "~NS:") + "`");
  }

  @Test
  void userWithTheRights_needsNoOthers_andEachOfThem() {
    try (RedisServer server = RedisServer.started(users("")).login(ADMIN);
        RedisPeer peer = new RedisPeer("a", address(server.url()), null)) {
      PatientWaits.await("rounds and counts").until(() -> works(peer));
      server.command("ACL", "LOG", "RESET");
      assertThat(works(peer)).isTrue();
      assertThat(server.command("ACL", "LOG")).as("what was refused").isEqualTo("*0");
      for (String right : SCRIPTS) {
        server.command("ACL", "SETUSER", "app", "-" + right);
        server.command("SCRIPT", "FLUSH");
        server.command("HSET", "ns:life:0", "m:forgotten", "1000");
        assertThat(works(peer)).as(right).isFalse();
        server.command("ACL", "SETUSER", "app", "+" + right);
        PatientWaits.await("rounds and counts with " + right).until(() -> works(peer));
      }
    }
  }

  @Test
  void userOfACluster_needsToSeeIt() {
    try (RedisCluster redis = RedisCluster.started(2)) {
      for (RedisServer master : redis.masters()) {
        List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", "app", "on", ">secret"));
        words.addAll(List.of("~ns:*", "resetchannels", "-@all", "+ping", "+cluster|nodes"));
        // Redisson probes this right, and works without it
        words.add("+pubsub");
        SCRIPTS.forEach(right -> words.add("+" + right));
        assertThat(master.command(words.toArray(String[]::new))).isEqualTo("+OK");
      }
      try (RedisPeer peer = new RedisPeer("a", address(redis.url()), null)) {
        PatientWaits.await("rounds and counts").until(() -> works(peer));
        for (RedisServer master : redis.masters()) {
          assertThat(master.command("ACL", "LOG")).as("what was refused").isEqualTo("*0");
        }
      }
    }
  }

  @Test
  void databaseOtherThanTheFirst_needsToBeSelected() {
    try (RedisServer server = RedisServer.started(users(" +select")).login(ADMIN);
        RedisPeer peer = new RedisPeer("a", address(server.url() + "/3"), null)) {
      PatientWaits.await("rounds and counts").until(() -> works(peer));
      assertThat(server.command("DBSIZE")).isEqualTo(":0");
    }
  }

  @Test
  void keysOfOthers_areNoneOfTheirs() {
    try (RedisServer server = RedisServer.started(users("")).login(ADMIN);
        RedisLink link = new RedisLink(address(server.url()), null, 1_000, Ticker.system())) {
      RedisSliceStore other =
          new RedisSliceStore(link, "other", 2_000_000_000L, Ticker.system(), WallClock.system());
      PatientWaits.await("a round that is refused").until(() -> refused(other));
    }
  }

  private static boolean refused(RedisSliceStore supply) {
    return supply
        .round(SliceFixture.round("a", 1, List.of()))
        .toCompletableFuture()
        .handle(
            (answer, failure) ->
                failure != null && RedisDiagnosis.of(failure).kind() == Kind.ACCESS)
        .join();
  }

  @Test
  void wrongPassword_isRefused() {
    try (RedisServer server = RedisServer.started(users("")).login(ADMIN);
        RedisPeer peer =
            new RedisPeer("a", RedisAddress.parse(server.url(), "app", "other"), null)) {
      peer.awaitTrouble(Kind.ACCESS);
    }
  }
}
