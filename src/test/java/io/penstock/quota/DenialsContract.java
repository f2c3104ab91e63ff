package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Contract of all denial stores. Wall time is initially at the start of cell 100 of one-minute
 * cells.
 */
public abstract class DenialsContract {
  protected static final long MINUTE_MILLIS = 60_000;

  protected abstract Denials denials();

  /** Sets the wall time. */
  protected abstract void clock(long unixMillis);

  static Denials.Denial denial(String identifier, long sequence, long limit) {
    return new Denials.Denial("key-rpm", identifier, MINUTE_MILLIS, sequence, limit);
  }

  static void publish(Denials denials, String region, Denials.Denial... own) {
    denials
        .publish(region, List.of(own))
        .toCompletableFuture()
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
  }

  static Denials.Page since(Denials denials, String region, long cursor) {
    return denials
        .since(region, cursor)
        .toCompletableFuture()
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
  }

  private static Denials.Page all(Denials denials, String region) {
    return since(denials, region, Denials.Page.START);
  }

  @Test
  void published_isReadByOthersAndNotByItsOwnRegion() {
    Denials denials = denials();
    publish(denials, "east", denial("k", 100, 50));
    assertThat(all(denials, "west").denials()).containsExactly(denial("k", 100, 50));
    assertThat(all(denials, "east").denials()).isEmpty();
  }

  @Test
  void readOnFromTheCursor_givesOnlyWhatCameAfter() {
    Denials denials = denials();
    publish(denials, "east", denial("k", 100, 50));
    Denials.Page first = all(denials, "west");
    publish(denials, "east", denial("l", 100, 60));
    Denials.Page second = since(denials, "west", first.cursor());
    assertThat(second.denials()).containsExactly(denial("l", 100, 60));
    assertThat(since(denials, "west", second.cursor()).denials()).isEmpty();
  }

  @Test
  void cellDeniedTwice_firstDenialStands() {
    Denials denials = denials();
    publish(denials, "east", denial("k", 100, 50), denial("k", 100, 70));
    publish(denials, "east", denial("k", 100, 80));
    assertThat(all(denials, "west").denials()).containsExactly(denial("k", 100, 50));
  }

  @Test
  void sameCellDeniedInTwoRegions_isReadFromBoth() {
    Denials denials = denials();
    publish(denials, "east", denial("k", 100, 50));
    publish(denials, "north", denial("k", 100, 40));
    assertThat(all(denials, "west").denials())
        .containsExactlyInAnyOrder(denial("k", 100, 50), denial("k", 100, 40));
  }

  @Test
  void twoCellsAfterItsStart_expired() {
    Denials denials = denials();
    publish(denials, "east", denial("k", 100, 50));
    clock(102 * MINUTE_MILLIS - 1);
    assertThat(all(denials, "west").denials()).hasSize(1);
    clock(102 * MINUTE_MILLIS);
    assertThat(all(denials, "west").denials()).isEmpty();
  }

  @Test
  void expiredWhenPublished_isNeverRead() {
    Denials denials = denials();
    publish(denials, "east", denial("k", 98, 50));
    assertThat(all(denials, "west").denials()).isEmpty();
  }

  @Test
  void nothingPublished_givesAnEmptyPageToReadOnFrom() {
    Denials denials = denials();
    Denials.Page empty = all(denials, "west");
    assertThat(empty.denials()).isEmpty();
    publish(denials, "east", denial("k", 100, 50));
    assertThat(since(denials, "west", empty.cursor()).denials()).hasSize(1);
  }

  @Test
  void denialOfNothing_isNone() {
    assertThatThrownBy(() -> denial(" ", 100, 50)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> denial("k", 100, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> denial("k", -1, 1)).isInstanceOf(IllegalArgumentException.class);
  }
}
