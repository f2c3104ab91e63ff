package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.shares.ShareStore.Answer;
import io.penstock.shares.ShareStore.Beat;
import io.penstock.shares.ShareStore.BeatAnswer;
import io.penstock.shares.ShareStore.Call;
import io.penstock.shares.ShareStore.Message;
import io.penstock.shares.ShareStore.Row;
import io.penstock.shares.ShareStore.Still;
import io.penstock.sharing.LimitId;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MemoryShareStoreTest {
  private static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "key", "", LimitMeasure.TOKENS, 1_000_000_000);
  private static final BeatAnswer NOTHING =
      new BeatAnswer(
          ShareEpoch.NONE,
          0,
          0,
          false,
          false,
          false,
          false,
          List.of(),
          List.of(),
          List.of(),
          0,
          true);

  private final MemoryShareStore store = new MemoryShareStore("run", () -> "tag", Set.of());
  private long number;

  /** Sends a beat of an instance that has heard {@code last}. */
  private BeatAnswer beat(String member, BeatAnswer last, Still... still) {
    Beat beat =
        new Beat(
            ++number,
            last.epoch(),
            last.count(),
            last.version(),
            true,
            false,
            false,
            last.peers().stream().filter(each -> !each.member().equals(member)).toList(),
            List.of(still),
            List.of(),
            List.of(),
            true,
            false,
            List.of(),
            last.toldUpTo());
    return store.carryOut(new Message(member, List.of(), beat)).beat();
  }

  @Test
  void instanceDeclaredDead_isToldUntilItHasHeard() {
    BeatAnswer first = beat("a", beat("a", NOTHING));
    beat("b", beat("b", NOTHING), new Still("a", 2, false));
    assertThat(beat("a", first).buried()).isTrue();
    BeatAnswer afterALostAnswer = beat("a", first);
    assertThat(afterALostAnswer.buried()).isTrue();
    assertThat(beat("a", afterALostAnswer).buried()).isFalse();
  }

  @Test
  void newInstance_isNotToldThatItWasDeclaredDead() {
    assertThat(beat("a", NOTHING).buried()).isFalse();
    assertThat(beat("b", NOTHING).buried()).isFalse();
  }

  private Answer call(String member, BeatAnswer last, Row... heard) {
    ShareUse use = new ShareUse(100, 0, 0, 10, 10, 0, ShareUse.Cell.NONE, false, 1_000);
    Call call =
        new Call(ID, ++number, number, last.epoch(), true, 0, 0, use, List.of(), List.of(heard));
    return store.carryOut(member, call);
  }

  @Test
  void limitLostAlone_isNoticed_alsoWhenOthersKeepWhatTheyHeard() {
    BeatAnswer last = beat("a", NOTHING);
    assertThat(call("a", last).known()).isFalse();
    assertThat(call("a", last).known()).isTrue();
    store.lose(ID);
    call("b", last, new Row("a", -1, 10, 0, ShareUse.Cell.NONE, 1_000));
    assertThat(call("a", last).known()).isFalse();
  }
}
