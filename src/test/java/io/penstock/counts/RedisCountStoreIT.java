package io.penstock.counts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisLink;
import io.penstock.redis.RedisTrouble;
import io.penstock.sharing.CountStore;
import io.penstock.sharing.CountStoreContract;
import io.penstock.sharing.LimitId;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests counts in a real server. */
@SuppressWarnings("this-escape") // a subclass only chooses the server, which needs no state
public class RedisCountStoreIT extends CountStoreContract {
  private final RedisServer server = server();
  private final String namespace = "counts-" + UUID.randomUUID();
  private final RedisLink link =
      new RedisLink(
          RedisAddress.parse(server.url(), null, null),
          null,
          PatientWaits.LONGEST_MILLIS,
          Ticker.system());
  private long now = 100 * MINUTE_MILLIS;

  /** Returns a server of the version under test. */
  public RedisServer server() {
    return RedisServer.shared();
  }

  @Override
  protected RedisCountStore counts() {
    return new RedisCountStore(link, namespace, Ticker.system(), () -> now, true);
  }

  @Override
  protected void clock(long unixMillis) {
    now = unixMillis;
  }

  @AfterEach
  void close() {
    link.close();
  }

  private static CountStore.Count count(LimitId id, long amount) {
    return new CountStore.Count(id, 100, amount);
  }

  private static List<CountStore.Count> told(
      CountStore countStore, String writer, CountStore.Count... own) {
    return PatientWaits.join(countStore.exchange(writer, List.of(own)));
  }

  private static LimitId id(LimitId.Kind kind, String name, String pool, LimitMeasure measure) {
    return new LimitId(kind, name, pool, measure, MINUTE_MILLIS * 1_000_000);
  }

  @Test
  void limitsOfAllKinds_comeBackAsTheyAre() {
    CountStore countStore = counts();
    for (LimitId.Kind kind : LimitId.Kind.values()) {
      LimitId strange = id(kind, "a:b|{c} é", "m/1|:", LimitMeasure.TOKENS);
      LimitId plain =
          id(kind, "plain", kind == LimitId.Kind.UPSTREAM ? "m" : "", LimitMeasure.REQUESTS);
      told(countStore, "w|1:é", count(strange, 3), count(plain, 4));
      assertThat(told(countStore, kind.name())).contains(count(strange, 3), count(plain, 4));
    }
  }

  @Test
  void unchangedCounts_areStillKnown_andNotReadAgain() {
    CountStore countStore = counts();
    LimitId id = id(LimitId.Kind.KEY, "k", "", LimitMeasure.TOKENS);
    told(countStore, "a", count(id, 5));
    assertThat(told(countStore, "b")).containsExactly(count(id, 5));
    server.command("DEL", namespace + ":" + id.text());
    assertThat(told(countStore, "b")).containsExactly(count(id, 5));
    told(countStore, "a", count(id, 6));
    assertThat(told(countStore, "b")).containsExactly(count(id, 6));
  }

  @Test
  void foreignValue_failsItsLimitAlone() {
    RedisCountStore counts = counts();
    LimitId bad = id(LimitId.Kind.KEY, "bad", "", LimitMeasure.TOKENS);
    LimitId good = id(LimitId.Kind.KEY, "good", "", LimitMeasure.TOKENS);
    server.command("SET", namespace + ":" + bad.text(), "foreign");
    told(counts, "a", count(bad, 5), count(good, 6));
    assertThat(told(counts, "b")).containsExactly(count(good, 6));
    assertThat(counts.troubles().counts().get(RedisTrouble.Kind.VALUE)).isGreaterThanOrEqualTo(1);
  }

  @Test
  void foreignValueUnderTheKeyOfChanges_failsExchanges_andStays() {
    RedisCountStore counts = counts();
    LimitId id = id(LimitId.Kind.KEY, "k", "", LimitMeasure.TOKENS);
    String key = namespace + ":counts";
    server.command("SET", key, "foreign");
    assertThatThrownBy(() -> told(counts, "a", count(id, 5)))
        .cause()
        .extracting("kind")
        .isEqualTo(RedisTrouble.Kind.VALUE);
    assertThat(server.command("GET", key)).isEqualTo("foreign");
    server.command("DEL", key);
    told(counts, "a", count(id, 5));
    assertThat(told(counts, "b")).containsExactly(count(id, 5));
  }

  @Test
  void namesOfNoLimit_amongTheChanged_areNothing() {
    CountStore countStore = counts();
    LimitId id = id(LimitId.Kind.KEY, "k", "", LimitMeasure.TOKENS);
    told(countStore, "a", count(id, 5));
    server.command("ZADD", namespace + ":counts", "9000000000000000", "garbage {of} others");
    assertThat(told(countStore, "b")).containsExactly(count(id, 5));
  }

  @Test
  void anotherNamespace_isNotHeard() {
    CountStore countStore = counts();
    LimitId id = id(LimitId.Kind.KEY, "k", "", LimitMeasure.TOKENS);
    CountStore others =
        new RedisCountStore(link, namespace + "-b", Ticker.system(), () -> now, true);
    told(others, "a", count(id, 7));
    told(countStore, "a", count(id, 5));
    assertThat(told(countStore, "b")).containsExactly(count(id, 5));
    assertThat(told(others, "b")).containsExactly(count(id, 7));
  }

  @Test
  void garbageInTheHash_isNoCount_andOthersGoOn() {
    RedisCountStore counts = counts();
    LimitId bad = id(LimitId.Kind.KEY, "bad", "", LimitMeasure.TOKENS);
    LimitId good = id(LimitId.Kind.KEY, "good", "", LimitMeasure.TOKENS);
    told(counts, "a", count(bad, 5), count(good, 6));
    String key = namespace + ":" + bad.text();
    server.command("HSET", key, "count|" + bad.field() + "|100|x", "many", "old", "format");
    assertThat(told(counts, "b")).containsExactly(count(good, 6));
    server.command("HDEL", key, "count|" + bad.field() + "|100|x");
    assertThat(told(counts, "c")).containsExactlyInAnyOrder(count(bad, 5), count(good, 6));
  }

  @Test
  void countsAreKept_noLongerThanTheyAreOfUse() {
    LimitId id = id(LimitId.Kind.KEY, "k", "", LimitMeasure.TOKENS);
    told(counts(), "a", count(id, 5));
    String left = server.command("PTTL", namespace + ":" + id.text());
    assertThat(Long.parseLong(left.substring(1))).isBetween(120_000L, 180_000L);
  }
}
