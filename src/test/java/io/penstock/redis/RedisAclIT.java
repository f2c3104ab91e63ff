package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisCluster;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.suite.DocumentPages;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Tests a Redis user with exactly the rights that sharing needs. */
class RedisAclIT {
  /** Commands that call scripts, and all commands in them. */
  private static final List<String> SCRIPTS =
      List.of(
          "del",
          "eval",
          "evalsha",
          "exists",
          "hdel",
          "hgetall",
          "hmget",
          "hset",
          "info",
          "pexpire",
          "time",
          "zadd",
          "zcard",
          "zrandmember",
          "zrangebyscore",
          "zrem");

  /** Commands without which instances only learn later of what changed at another. */
  private static final List<String> NEWS = List.of("publish", "subscribe");

  /** Commands with which a gateway looks at its start for the format, and for a claim of keys. */
  private static final List<String> START = List.of("hget", "pttl");

  /** Command that Redisson sends when a channel is at another server than before. */
  private static final String MOVES = "unsubscribe";

  /** Rule from {@code src/docs/instances.md}, except for the password and the namespace. */
  private static final String RULE =
      "~ns:* resetchannels &ns:shares* -@all +ping +" + String.join(" +", rights());

  private static final String[] ADMIN = {"AUTH", "admin", "admin"};

  private static List<String> rights() {
    List<String> rights = new ArrayList<>(SCRIPTS);
    rights.addAll(NEWS);
    rights.add(MOVES);
    rights.addAll(START);
    return rights.stream().sorted().toList();
  }

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
      return peer.trouble() == null && peer.share("k", 0, 1) > 0;
    } catch (CompletionException refused) {
      return false;
    }
  }

  @Test
  void rights_areThoseOfThePage() {
    assertThat(DocumentPages.text(DocumentPages.page("instances.md")))
        .contains("`" + RULE.replace("ns:", "NS:") + "`");
  }

  @Test
  void userWithTheRights_needsNoOthers_andEachOfThem() {
    try (RedisServer server = RedisServer.started(users("")).login(ADMIN);
        RedisPeer peer = new RedisPeer("a", address(server.url()), null)) {
      PatientWaits.await("shares and counts").until(() -> works(peer));
      server.command("ACL", "LOG", "RESET");
      assertThat(works(peer)).isTrue();
      assertThat(server.command("ACL", "LOG")).as("what was refused").isEqualTo("*0");
      for (String right : SCRIPTS) {
        server.command("ACL", "SETUSER", "app", "-" + right);
        server.command("SCRIPT", "FLUSH");
        server.command("DEL", "ns:instances:0:order"); // after a loss, the rest is deleted
        assertThat(works(peer)).as(right).isFalse();
        server.command("ACL", "SETUSER", "app", "+" + right);
        PatientWaits.await("shares and counts with " + right).until(() -> works(peer));
      }
    }
  }

  /** Lets an instance wait for what another one has; returns the other, which listens. */
  private static RedisPeer told(RedisPeer holder, RedisPeer waiter) {
    holder.well();
    waiter.well();
    holder.share("held", 100, 0);
    waiter.share("held", 0, 90);
    return holder;
  }

  @Test
  void newsOfOtherInstances_needTheirRights_withoutWhichSharingGoesOn() {
    try (RedisServer server = RedisServer.started(users("")).login(ADMIN)) {
      try (RedisPeer a = new RedisPeer("a", address(server.url()), null);
          RedisPeer b = new RedisPeer("b", address(server.url()), null)) {
        PatientWaits.await("news").until(() -> !told(a, b).heard.isEmpty());
      }
      for (String right : NEWS) {
        server.command("ACL", "SETUSER", "app", "allkeys", "+@all", "-" + right);
        server.command("ACL", "LOG", "RESET");
        server.command("DEL", RedisPeer.key("held") + "#tokens:3600000");
        try (RedisPeer a = new RedisPeer("a." + right, address(server.url()), null);
            RedisPeer b = new RedisPeer("b." + right, address(server.url()), null)) {
          told(a, b);
        }
        PatientWaits.await("a refusal of " + right)
            .until(() -> !server.command("ACL", "LOG").equals("*0"));
      }
    }
  }

  @Test
  void userOfACluster_needsToSeeIt() {
    try (RedisCluster redis = RedisCluster.started(2)) {
      for (RedisServer master : redis.masters()) {
        List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", "app", "on", ">secret"));
        words.addAll(List.of("~ns:*", "resetchannels", "&ns:shares*", "-@all"));
        words.addAll(List.of("+ping", "+cluster|nodes"));
        // Redisson probes this right, and works without it
        words.add("+pubsub");
        rights().forEach(right -> words.add("+" + right));
        assertThat(master.command(words.toArray(String[]::new))).isEqualTo("+OK");
      }
      try (RedisPeer peer = new RedisPeer("a", address(redis.url()), null)) {
        PatientWaits.await("shares and counts").until(() -> works(peer));
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
      PatientWaits.await("shares and counts").until(() -> works(peer));
      assertThat(server.command("DBSIZE")).isEqualTo(":0");
    }
  }

  @Test
  void keysOfOthers_areNoneOfTheirs() {
    try (RedisServer server = RedisServer.started(users("")).login(ADMIN);
        RedisLink link = new RedisLink(address(server.url()), null, 1_000, Ticker.system())) {
      PatientWaits.await("a refusal").until(() -> refused(RedisFormat.of("other", link)));
    }
  }

  private static boolean refused(CompletionStage<?> answered) {
    return answered
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
