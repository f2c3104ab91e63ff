package io.penstock.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the names of limits in the tables. */
class LimitNamingTest {
  private static final long MINUTE = 60_000_000_000L;

  @ParameterizedTest
  @CsvSource({
    "KEY, alice, '', REQUESTS, 60, key-rpm, alice",
    "KEY, alice, '', TOKENS, 60, key-tpm, alice",
    "KEY, alice, '', REQUESTS, 86400, key-rpd, alice",
    "KEY, alice, '', TOKENS, 86400, key-budget, alice",
    "GROUP, a b, '', TOKENS, 60, group-tpm, a%20b",
    "KEY, a:b, gpt-4o, TOKENS, 60, key-tpm, a%3Ab:gpt-4o",
    "KEY, a@1790000000001, m, TOKENS, 86400, key-budget, a%401790000000001:m",
  })
  void names_areThoseOfTheContract_andReadBack(
      LimitId.Kind kind,
      String name,
      String pool,
      LimitMeasure measure,
      long seconds,
      String namespace,
      String identifier) {
    LimitId id = new LimitId(kind, name, pool, measure, seconds * 1_000_000_000);
    assertThat(LimitNaming.namespace(id)).isEqualTo(namespace);
    assertThat(id.owner()).isEqualTo(identifier);
    assertThat(LimitNaming.limit(namespace, identifier, seconds * 1_000)).isEqualTo(id);
  }

  @Test
  void whatNobodyWrites_isNoLimit() {
    assertThat(LimitNaming.limit("key", "alice", 60_000)).isNull();
    assertThat(LimitNaming.limit("key-rpd", "alice", 60_000)).isNull();
    assertThat(LimitNaming.limit("key-rpm", "a b", 60_000)).isNull();
    assertThat(LimitNaming.limit("key-rpm", "%", 60_000)).isNull();
    assertThat(LimitNaming.limit("key-rpm", "alice", 0)).isNull();
    assertThat(LimitNaming.limit("key-rpm", "alice", Long.MAX_VALUE)).isNull();
  }

  @Test
  void longNamesAndOtherMeasures_haveNoRow() {
    LimitId id = new LimitId(LimitId.Kind.KEY, "ä".repeat(90), "", LimitMeasure.TOKENS, MINUTE);
    assertThat(LimitNaming.namespace(id)).isNull();
    assertThat(
            LimitNaming.namespace(
                new LimitId(LimitId.Kind.KEY, "a", "", LimitMeasure.CONCURRENCY, MINUTE)))
        .isNull();
  }

  @Test
  void limitsOfKeysAndGroups_areShared_thoseOfOthersAreNot() {
    LimitSpec minute = new LimitSpec.TrailingWindow(10, MINUTE, 0, 10);
    for (LimitId.Kind kind : LimitId.Kind.values()) {
      boolean shared = kind == LimitId.Kind.KEY || kind == LimitId.Kind.GROUP;
      LimitId id = new LimitId(kind, "a", "", LimitMeasure.TOKENS, MINUTE);
      assertThat(RegionLimitSource.shares(id, minute)).as("%s", kind).isEqualTo(shared);
      LimitId shorter = new LimitId(kind, "a", "", LimitMeasure.TOKENS, MINUTE / 2);
      assertThat(
              RegionLimitSource.shares(
                  shorter, new LimitSpec.TrailingWindow(10, MINUTE / 2, 0, 10)))
          .isFalse();
    }
  }
}
