package io.penstock.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.PatientWaits;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.CountStoreContract;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests counts in a real MariaDB. */
class CountRowsIT extends CountStoreContract {
  private final Tables tables = Tables.made();
  private final RegionDatabase database = Tables.patient(tables.address());
  private long now = 100 * MINUTE_MILLIS;

  @Override
  protected CountRows counts() {
    return new CountRows(database, "default", () -> now);
  }

  @Override
  protected void clock(long unixMillis) {
    now = unixMillis;
  }

  @AfterEach
  void close() {
    database.close();
  }

  private static <T> T answer(CompletionStage<T> stage) {
    return PatientWaits.join(stage);
  }

  private static LimitId id(LimitId.Kind kind, String name, String pool, LimitMeasure measure) {
    return new LimitId(kind, name, pool, measure, MINUTE_MILLIS * 1_000_000);
  }

  @Test
  void limitsOfAllKinds_comeBackAsTheyAre() {
    List<Count> told = new ArrayList<>();
    for (LimitId.Kind kind : LimitId.Kind.values()) {
      told.add(new Count(id(kind, "a:b|{c} é'\"?%", "m/1|:", LimitMeasure.TOKENS), 100, 3));
      told.add(new Count(id(kind, "plain ", "", LimitMeasure.REQUESTS), 100, 4));
      told.add(new Count(id(kind, "plain", "", LimitMeasure.REQUESTS), 100, 5));
    }
    answer(counts().exchange("east", told));
    assertThat(answer(counts().exchange("west", List.of())))
        .containsExactlyInAnyOrderElementsOf(told);
  }

  @Test
  void rows_areNamedAsTheContractSays() {
    Count count = new Count(id(LimitId.Kind.KEY, "alice", "", LimitMeasure.REQUESTS), 100, 7);
    answer(counts().exchange("east", List.of(count)));
    assertThat(
            tables.query(
                "SELECT concat_ws(' ', workspace, namespace, identifier, duration, sequence,"
                    + " region, amount, expires_at) FROM ratelimit_counts"))
        .containsExactly("default key-rpm alice 60000 100 east 7 " + 102 * MINUTE_MILLIS);
  }

  @Test
  void manyRows_areAllTold_andReadBackByTheirOwnRegion() {
    List<Count> told = new ArrayList<>();
    for (int key = 0; key < 1_234; key++) {
      told.add(new Count(id(LimitId.Kind.KEY, "key-" + key, "", LimitMeasure.TOKENS), 100, key));
    }
    answer(counts().exchange("east", told));
    assertThat(answer(counts().of("east"))).containsExactlyInAnyOrderElementsOf(told);
    assertThat(answer(counts().of("west"))).isEmpty();
  }

  @Test
  void workspaces_areApart() {
    Count count = new Count(id(LimitId.Kind.KEY, "alice", "", LimitMeasure.REQUESTS), 100, 7);
    answer(new CountRows(database, "other", () -> now).exchange("east", List.of(count)));
    assertThat(answer(counts().exchange("west", List.of()))).isEmpty();
  }

  @Test
  void rowsOfNoLimit_areIgnored() {
    tables.sql("ALTER TABLE ratelimit_counts ADD COLUMN new_one INT DEFAULT 3");
    tables.row("ratelimit_counts", "key-rpm", "alice", 100, 9);
    tables.row("ratelimit_counts", "key-rpm", "b%zz", 100, 9);
    tables.row("ratelimit_counts", "key-xyz", "alice", 100, 9);
    tables.row("ratelimit_counts", "moon-rpm", "alice", 100, 9);
    tables.row("ratelimit_counts", "", "alice", 100, 9);
    tables.row("ratelimit_counts", "key-tpm", "alice", 100, -9);
    tables.row("ratelimit_counts", "key-tpm", "alice", Long.MAX_VALUE, 9);
    assertThat(answer(counts().exchange("west", List.of())))
        .containsExactly(
            new Count(id(LimitId.Kind.KEY, "alice", "", LimitMeasure.REQUESTS), 100, 9));
  }

  @Test
  void rowThatComesLate_isReadAllTheSame() {
    CountRows west = counts();
    Count late = new Count(id(LimitId.Kind.KEY, "late", "", LimitMeasure.TOKENS), 100, 1);
    Count next = new Count(id(LimitId.Kind.KEY, "next", "", LimitMeasure.TOKENS), 100, 2);
    answer(west.exchange("west", List.of()));
    now += 45_000; // its clock is ahead
    answer(counts().exchange("north", List.of(next)));
    answer(west.exchange("west", List.of()));
    now -= 60_000; // its clock is behind, and the row comes late
    answer(counts().exchange("south", List.of(late)));
    now += 30_000;
    assertThat(answer(west.exchange("west", List.of()))).containsExactlyInAnyOrder(late, next);
  }
}
