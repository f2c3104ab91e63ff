package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fake.PatientWaits;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Contract of all denial stores. Wall time is initially at the start of cell 100 of one-minute
 * cells.
 */
public abstract class DenialStoreContract {
  public static final long MINUTE_MILLIS = 60_000;

  protected abstract DenialStore denials();

  /** Sets the wall time. */
  protected abstract void clock(long unixMillis);

  static DenialStore.Denial denial(String identifier, long sequence, long limit) {
    return new DenialStore.Denial("key-rpm", identifier, MINUTE_MILLIS, sequence, limit);
  }

  static void publish(DenialStore denialStore, String region, DenialStore.Denial... own) {
    PatientWaits.join(denialStore.publish(region, List.of(own)));
  }

  static DenialStore.Page since(DenialStore denialStore, String region, long cursor) {
    return PatientWaits.join(denialStore.since(region, cursor));
  }

  private static DenialStore.Page all(DenialStore denialStore, String region) {
    return since(denialStore, region, DenialStore.Page.START);
  }

  @Test
  void published_isReadByOthersAndNotByItsOwnRegion() {
    DenialStore denialStore = denials();
    publish(denialStore, "east", denial("k", 100, 50));
    assertThat(all(denialStore, "west").denials()).containsExactly(denial("k", 100, 50));
    assertThat(all(denialStore, "east").denials()).isEmpty();
  }

  @Test
  void readOnFromTheCursor_givesOnlyWhatCameAfter() {
    DenialStore denialStore = denials();
    publish(denialStore, "east", denial("k", 100, 50));
    DenialStore.Page first = all(denialStore, "west");
    publish(denialStore, "east", denial("l", 100, 60));
    DenialStore.Page second = since(denialStore, "west", first.cursor());
    assertThat(second.denials()).containsExactly(denial("l", 100, 60));
    assertThat(since(denialStore, "west", second.cursor()).denials()).isEmpty();
  }

  @Test
  void cellDeniedTwice_firstDenialStands() {
    DenialStore denialStore = denials();
    publish(denialStore, "east", denial("k", 100, 50), denial("k", 100, 70));
    publish(denialStore, "east", denial("k", 100, 80));
    assertThat(all(denialStore, "west").denials()).containsExactly(denial("k", 100, 50));
  }

  @Test
  void sameCellDeniedInTwoRegions_isReadFromBoth() {
    DenialStore denialStore = denials();
    publish(denialStore, "east", denial("k", 100, 50));
    publish(denialStore, "north", denial("k", 100, 40));
    assertThat(all(denialStore, "west").denials())
        .containsExactlyInAnyOrder(denial("k", 100, 50), denial("k", 100, 40));
  }

  @Test
  void twoCellsAfterItsStart_expired() {
    DenialStore denialStore = denials();
    publish(denialStore, "east", denial("k", 100, 50));
    clock(102 * MINUTE_MILLIS - 1);
    assertThat(all(denialStore, "west").denials()).hasSize(1);
    clock(102 * MINUTE_MILLIS);
    assertThat(all(denialStore, "west").denials()).isEmpty();
  }

  @Test
  void expiredWhenPublished_isNeverRead() {
    DenialStore denialStore = denials();
    publish(denialStore, "east", denial("k", 98, 50));
    assertThat(all(denialStore, "west").denials()).isEmpty();
  }

  @Test
  void nothingPublished_givesAnEmptyPageToReadOnFrom() {
    DenialStore denialStore = denials();
    DenialStore.Page empty = all(denialStore, "west");
    assertThat(empty.denials()).isEmpty();
    publish(denialStore, "east", denial("k", 100, 50));
    assertThat(since(denialStore, "west", empty.cursor()).denials()).hasSize(1);
  }

  @Test
  void denialOfNothing_isNone() {
    assertThatThrownBy(() -> denial(" ", 100, 50)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> denial("k", 100, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> denial("k", -1, 1)).isInstanceOf(IllegalArgumentException.class);
  }
}
