package io.penstock.slices;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisLink;
import io.penstock.sharing.SliceFixture;
import io.penstock.sharing.SliceStore;
import io.penstock.sharing.SliceStore.Answer;
import io.penstock.sharing.SliceStore.Round;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests what a life of Redis knows of its runs, over restarts with and without a loss. */
class RedisRunIT {
  /** Allowance for tests that wait for this machine, not for Redis. */
  private static final long SLACK_NANOS = PatientWaits.LONGEST.toNanos();

  private final RedisServer server = RedisServer.started();
  private final RedisLink link =
      new RedisLink(
          RedisAddress.parse(server.url(), null, null),
          null,
          PatientWaits.LONGEST_MILLIS,
          Ticker.system());
  private final RedisSliceStore supply = supply(link);
  private long number;

  private static RedisSliceStore supply(RedisLink link) {
    // A breaker never waits if its clock advances an hour between two looks.
    long[] hours = {0};
    return new RedisSliceStore(
        link, "test", 2_000_000_000L, () -> ++hours[0] * 3_600_000_000_000L, WallClock.system());
  }

  @AfterEach
  void closeAll() {
    link.close();
    server.close();
  }

  private Answer round() {
    return PatientWaits.join(supply.round(SliceFixture.round("me", ++number, List.of())));
  }

  /** Makes rounds until one is answered; returns the next one. */
  private Answer well() {
    PatientWaits.await("a round that goes well")
        .until(() -> isAnswered(supply, SliceFixture.round("me", ++number, List.of())));
    return round();
  }

  @Test
  void restartedServer_thatSavedLessThanAMemberWasTold_isAnotherLife_whoeverComesFirst() {
    Answer saved = well();
    server.save();
    RedisSliceStore other = supply(link);
    other.round(SliceFixture.round("other", 1, List.of())).toCompletableFuture().join();
    Answer told = round();
    server.restart();
    for (int later = 2; later < 9; later++) {
      Round next = SliceFixture.round("other", later, List.of());
      PatientWaits.await("a round of the other").until(() -> isAnswered(supply(link), next));
    }
    Answer after = well();
    assertThat(after.count()).as("more than were told").isGreaterThan(told.count());
    assertThat(after.life()).isNotEqualTo(saved.life());
    assertThat(after.sinceLossNanos()).isBetween(0L, SLACK_NANOS);
  }

  private static boolean isAnswered(RedisSliceStore by, Round round) {
    return PatientWaits.join(by.round(round).handle((answer, failure) -> failure == null));
  }

  @Test
  void restartedServer_isTheSameLife_alsoForWhoStartsLater() {
    Answer before = well();
    server.save();
    server.restart();
    assertThat(well().members())
        .as("told with the answer before")
        .extracting(SliceStore.Member::sinceAwareNanos)
        .containsExactly(0L);
    Answer joined =
        supply(link).round(SliceFixture.round("joiner", 1, List.of())).toCompletableFuture().join();
    assertThat(joined.life()).isEqualTo(before.life());
    assertThat(joined.run().kept()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void whoLeaves_isKnownToHaveLeft() {
    well();
    supply
        .round(new Round("gone", 1, List.of(), false, List.of(), null, List.of(), true))
        .toCompletableFuture()
        .join();
    assertThat(round().members())
        .filteredOn(SliceStore.Member::left)
        .extracting(SliceStore.Member::name)
        .containsExactly("gone");
  }
}
