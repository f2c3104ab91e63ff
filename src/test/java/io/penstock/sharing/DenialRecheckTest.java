package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.CountStore.Count;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class DenialRecheckTest {
  private static final long MILLI = 1_000_000;
  private static final long MINUTE = 60_000 * MILLI;
  private static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "k", "", LimitMeasure.REQUESTS, MINUTE);
  private static final LimitSpec TRAILING = new LimitSpec.TrailingWindow(5, MINUTE, 0, 5);
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(5, MINUTE);

  private final List<CompletableFuture<List<Count>>> fetches = new ArrayList<>();
  private final List<List<Count>> merged = new ArrayList<>();
  private final DenialRecheck after =
      new DenialRecheck(id -> true, this::fetch, merged::add, () -> 100_010_000);

  private CompletionStage<List<Count>> fetch(LimitId id) {
    fetches.add(new CompletableFuture<>());
    return fetches.getLast();
  }

  private CompletableFuture<Boolean> before(long now) {
    return after.refreshBeforeDecision(ID, now).toCompletableFuture();
  }

  @Test
  void neverDenied_fetchesNothing() {
    assertThat(before(0)).isCompletedWithValue(true);
    after.denied(ID, TRAILING, 0);
    LimitId other = new LimitId(LimitId.Kind.KEY, "other", "", LimitMeasure.REQUESTS, MINUTE);
    assertThat(after.refreshBeforeDecision(other, 0).toCompletableFuture())
        .isCompletedWithValue(true);
    assertThat(fetches).isEmpty();
  }

  @Test
  void denied_fetchesForOneWindowFromTheRequest() {
    after.denied(ID, TRAILING, 5 * MILLI);
    assertThat(before(MINUTE + 5 * MILLI - 1)).isNotDone();
    assertThat(fetches).hasSize(1);
    assertThat(before(MINUTE + 5 * MILLI)).isCompletedWithValue(true);
    assertThat(fetches).hasSize(1);
  }

  @Test
  void deniedByAFixedWindow_fetchesUntilItsCellEnds() {
    // The Unix clock is 50 s into a minute.
    long end = 7 * MILLI + 10_000 * MILLI;
    after.denied(ID, FIXED, 7 * MILLI);
    assertThat(before(end - 1)).isNotDone();
    assertThat(before(end)).isCompletedWithValue(true);
  }

  @Test
  void limitWithoutAWindow_isNeverFetched() {
    LimitId bare = new LimitId(LimitId.Kind.KEY, "k", "", LimitMeasure.REQUESTS, 0);
    after.denied(bare, FIXED, 5);
    after.denied(bare, TRAILING, 5);
    for (long now = 4; now <= 5; now++) {
      assertThat(after.refreshBeforeDecision(bare, now).toCompletableFuture())
          .isCompletedWithValue(true);
    }
    assertThat(fetches).isEmpty();
  }

  @Test
  void manyAtOnce_shareOneFetch() {
    after.denied(ID, TRAILING, 0);
    CompletableFuture<Boolean> first = before(1);
    assertThat(before(100 * MILLI)).isSameAs(first);
    List<Count> others = List.of(new Count(ID, 1, 7));
    fetches.getFirst().complete(others);
    assertThat(first).isCompletedWithValue(true);
    assertThat(merged).containsExactly(others);
    assertThat(fetches).hasSize(1);
  }

  @Test
  void answer_isSharedFor20MillisecondsFromItsQuestion() {
    after.denied(ID, TRAILING, 0);
    CompletableFuture<Boolean> first = before(9 * MILLI);
    fetches.getFirst().complete(List.of());
    assertThat(first).isCompletedWithValue(true);
    assertThat(before(29 * MILLI)).isCompletedWithValue(true);
    assertThat(fetches).hasSize(1);
    assertThat(before(29 * MILLI + 1)).isNotDone();
    assertThat(fetches).hasSize(2);
  }

  @Test
  void failure_isToldAndTheNextOneFetchesAgain() {
    after.denied(ID, TRAILING, 0);
    CompletableFuture<Boolean> first = before(0);
    fetches.getFirst().completeExceptionally(new IllegalStateException("away"));
    assertThat(first).isCompletedWithValue(false);
    assertThat(merged).isEmpty();
    assertThat(before(1)).isNotDone();
    assertThat(fetches).hasSize(2);
  }

  @Test
  void fetchThatThrows_isAFailure() {
    DenialRecheck broken =
        new DenialRecheck(
            id -> true,
            id -> {
              throw new IllegalStateException("closed");
            },
            merged::add,
            () -> 0);
    broken.denied(ID, TRAILING, 0);
    assertThat(broken.refreshBeforeDecision(ID, 0).toCompletableFuture())
        .isCompletedWithValue(false);
  }

  @Test
  void fetchThatNeverEnds_isGivenUpAfter300Milliseconds() {
    after.denied(ID, TRAILING, 0);
    CompletableFuture<Boolean> first = before(9 * MILLI);
    assertThat(before(309 * MILLI - 1)).isSameAs(first);
    CompletableFuture<Boolean> second = before(309 * MILLI);
    assertThat(second).isNotSameAs(first);
    fetches.getFirst().complete(List.of(new Count(ID, 1, 7)));
    assertThat(merged).hasSize(1);
    assertThat(second).isNotDone();
    fetches.getLast().complete(List.of());
    assertThat(second).isCompletedWithValue(true);
  }

  @Test
  void oneMoreThanIsRemembered_isJudgedAsOthersUntilThereIsRoom() {
    for (int each = 0; each < DenialRecheck.MOST; each++) {
      after.denied(id(each), TRAILING, 0);
    }
    after.denied(ID, TRAILING, 1);
    assertThat(before(1)).isCompletedWithValue(true);
    after.denied(ID, TRAILING, MINUTE);
    assertThat(before(MINUTE)).isNotDone();
  }

  private static LimitId id(int number) {
    return new LimitId(LimitId.Kind.KEY, "k" + number, "", LimitMeasure.REQUESTS, MINUTE);
  }
}
