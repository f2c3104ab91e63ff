package io.penstock.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.sharing.DenialStore;
import io.penstock.sharing.DenialStoreContract;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests denials in a real MariaDB. */
class DenialRowsIT extends DenialStoreContract {
  private final Tables tables = Tables.made();
  private final RegionDatabase database = Tables.patient(tables.address());
  private final DenialRows denials = new DenialRows(database, "default", () -> this.now);
  private long now = 100 * MINUTE_MILLIS;

  @Override
  protected DenialStore denials() {
    return denials;
  }

  @Override
  protected void clock(long unixMillis) {
    now = unixMillis;
  }

  @AfterEach
  void close() {
    database.close();
  }

  private List<DenialStore.Denial> read() {
    return PatientWaits.join(denials.since("west", DenialStore.Page.START)).denials();
  }

  @Test
  void rows_areNamedAsTheContractSays() {
    PatientWaits.join(
        denials.publish(
            "east", List.of(new DenialStore.Denial("key-rpm", "alice", 60_000, 100, 50))));
    assertThat(
            tables.query(
                "SELECT concat_ws(' ', workspace, namespace, identifier, duration, sequence,"
                    + " region, `limit`, expires_at) FROM ratelimit_blocklist"))
        .containsExactly("default key-rpm alice 60000 100 east 50 " + 102 * MINUTE_MILLIS);
  }

  @Test
  void rowsThatAreNone_areIgnored() {
    tables.sql("ALTER TABLE ratelimit_blocklist ADD COLUMN new_one INT DEFAULT 3");
    tables.row("ratelimit_blocklist", "key-rpm", "alice", 100, 9);
    tables.row("ratelimit_blocklist", " ", "alice", 100, 9);
    tables.row("ratelimit_blocklist", "key-rpm", "bob", -100, 9);
    tables.row("ratelimit_blocklist", "key-rpm", "carol", 100, 0);
    assertThat(read()).containsExactly(new DenialStore.Denial("key-rpm", "alice", 60_000, 100, 9));
  }
}
