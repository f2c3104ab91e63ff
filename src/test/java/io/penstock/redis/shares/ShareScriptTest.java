package io.penstock.redis.shares;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.penstock.cost.LimitMeasure;
import io.penstock.shares.ShareEpoch;
import io.penstock.shares.ShareStore.Absent;
import io.penstock.shares.ShareStore.Answer;
import io.penstock.shares.ShareStore.Beat;
import io.penstock.shares.ShareStore.BeatAnswer;
import io.penstock.shares.ShareStore.Call;
import io.penstock.shares.ShareStore.Life;
import io.penstock.shares.ShareStore.Outcome;
import io.penstock.shares.ShareStore.Peer;
import io.penstock.shares.ShareStore.Row;
import io.penstock.shares.ShareStore.Still;
import io.penstock.shares.ShareStore.Told;
import io.penstock.shares.ShareUse;
import io.penstock.shares.ShareUse.Cell;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Arguments and answers of both scripts, without a server. */
class ShareScriptTest {
  private static final LimitId ID =
      new LimitId(LimitId.Kind.UPSTREAM, "ü a:b/c#d+", "m 1", LimitMeasure.TOKENS, 60_000_000_000L);
  private static final String ID_WORD =
      "upstream/%C3%BC%20a%3Ab%2Fc%23d%2B:m%201/tokens:60000000000";
  private static final Row ROW = new Row("x y", -1, 7, Long.MAX_VALUE, new Cell(5, 1, 3, 40), 90);

  @ParameterizedTest
  @EnumSource
  void limitOfEachKind_isReadAsItIsWritten(LimitId.Kind kind) {
    LimitId id = new LimitId(kind, ID.id(), kind.name(), LimitMeasure.REQUESTS, 1);
    assertThat(ScriptWords.id(ScriptWords.of(id))).isEqualTo(id);
    assertThat(ScriptWords.id(ScriptWords.of(ID))).isEqualTo(ID);
    assertThat(ScriptWords.of(ID)).isEqualTo(ID_WORD);
  }

  @Test
  void keys_ofLimitsWithTheSameOwner_differ() {
    LimitId other =
        new LimitId(ID.kind(), ID.id(), ID.pool(), LimitMeasure.REQUESTS, ID.durationNanos());
    assertThat(ShareScript.key("ns", ID))
        .isEqualTo("ns:ratelimit:%C3%BC%20a%3Ab%2Fc%23d%2B:m%201#tokens:60000")
        .isNotEqualTo(ShareScript.key("ns", other));
  }

  @Test
  void name_hasNoSpace_andIsReadAsItWas() {
    String name = "gate way+1.é/%20#";
    assertThat(ScriptWords.of(name)).doesNotContain(" ");
    assertThat(ScriptWords.name(ScriptWords.of(name))).isEqualTo(name);
    assertThat(ScriptWords.of("gateway-0.a1_B")).isEqualTo("gateway-0.a1_B");
  }

  @Test
  void numberAboveThoseOfLua_isTheLargest() {
    assertThat(ScriptWords.of(Long.MAX_VALUE)).isEqualTo("9007199254740991");
    assertThat(ScriptWords.of(Long.MIN_VALUE)).isEqualTo("-9007199254740991");
    assertThat(ScriptWords.of(-1)).isEqualTo("-1");
  }

  @Test
  void call_isWrittenInTheOrderOfTheScript() {
    ShareUse use = new ShareUse(100, 4, 5, 60, 70, 8, new Cell(9, 10, 11, 12), true, 1_000_000);
    List<Absent> absent = List.of(new Absent("d d", 13, 14, true));
    Call call =
        new Call(ID, 1, 2, new ShareEpoch(3, "tag"), true, 20, 21, use, absent, List.of(ROW));
    assertThat(ShareScript.arguments("me", call, "news"))
        .containsExactly(
            "me",
            "4000000",
            "1",
            "2",
            "3",
            "tag",
            "1",
            "20",
            "21",
            "100",
            "60",
            "" + use.need(20),
            "9",
            "10",
            "11",
            "12",
            "1",
            "1000000",
            "4",
            "1",
            "news",
            "me " + ID_WORD,
            "d%20d",
            "13",
            "14",
            "1",
            "x%20y",
            "7",
            "9007199254740991",
            "5",
            "1",
            "3",
            "40",
            "90");
  }

  @Test
  void answer_isReadWithItsRows() {
    Answer answer =
        ShareScript.answer(
            ID,
            List.of(
                1L,
                1L,
                30L,
                40L,
                1L,
                5L,
                100L,
                0L,
                "x%20y",
                "3 1 2 100 50 0 0 7 9007199254740991 5 1 3 40 90 6"));
    Row row = new Row("x y", 2, 7, ScriptWords.MOST, ROW.cell(), 90);
    assertThat(answer)
        .isEqualTo(new Answer(ID, Outcome.TAKEN, true, 30, 40, true, 5, 100, List.of(row)));
    assertThat(ShareScript.answer(ID, List.of(0L))).isEqualTo(Answer.ignored(ID, Outcome.LATE));
  }

  @Test
  void answerThatTheScriptNeverGives_isRefused() {
    List<Object> gap = new ArrayList<>(List.of(1L, 1L, 30L, 40L, 1L, 5L, 100L, 0L));
    gap.addAll(Collections.nCopies(2, null));
    for (Object odd : new Object[] {"OK", List.of(), List.of(1L, 1L), List.of("x"), gap}) {
      assertThatIllegalArgumentException().isThrownBy(() -> ShareScript.answer(ID, odd));
      assertThatIllegalArgumentException().isThrownBy(() -> BeatScript.answer(odd));
    }
  }

  @Test
  void publication_tellsOthersOfTheLimit() {
    assertThat(ShareScript.published("a%20b " + ID_WORD, "c")).isEqualTo(ID);
    assertThat(ShareScript.published("a%20b " + ID_WORD, "a b")).isNull();
    assertThatIllegalArgumentException().isThrownBy(() -> ShareScript.published("odd", "c"));
  }

  @Test
  void beat_isWrittenInTheOrderOfTheScript() {
    Beat beat =
        new Beat(
            1,
            new ShareEpoch(2, "tag"),
            3,
            4,
            true,
            false,
            true,
            List.of(new Peer("x y", 5, Life.DEAD, true, 8_000)),
            List.of(new Still("s", 6, false), new Still("g", 8, true)),
            List.of("f f"),
            List.of(ID, ID),
            true,
            false,
            List.of(new Told.Share(ID, ROW), new Told.Counted(ID, "x y", 4, 9, 60)),
            7);
    assertThat(BeatScript.arguments("me", beat, "next", 100, 10))
        .containsExactly(
            "me",
            "172800000",
            "1",
            "2",
            "tag",
            "3",
            "4",
            "1",
            "0",
            "1",
            "1",
            "0",
            "7",
            "next",
            "100",
            "10",
            ID_WORD + " " + ID_WORD,
            "1",
            "x%20y",
            "5",
            "dead",
            "8000",
            "2",
            "s",
            "6",
            "0",
            "g",
            "8",
            "1",
            "1",
            "f%20f",
            ID_WORD + " x%20y",
            "90",
            "7 9007199254740991 5 1 3 40 90",
            ID_WORD + " x%20y 4",
            "60",
            "9 60");
  }

  @Test
  void answerToABeat_isReadWithItsLists() {
    BeatAnswer answer =
        BeatScript.answer(
            List.of(
                2L,
                "tag",
                3L,
                4L,
                1L,
                0L,
                1L,
                0L,
                7L,
                1L,
                List.of("x%20y", -1L, "left", 1L, 9L),
                List.of(ID_WORD),
                List.of(ID_WORD + " x%20y 7 8 5 1 3 40 90", ID_WORD + " x%20y 4 9 60")));
    assertThat(answer)
        .isEqualTo(
            new BeatAnswer(
                new ShareEpoch(2, "tag"),
                3,
                4,
                true,
                false,
                true,
                false,
                List.of(new Peer("x y", -1, Life.LEFT, true, 9)),
                List.of(ID),
                List.of(
                    new Told.Share(ID, new Row("x y", -1, 7, 8, ROW.cell(), 90)),
                    new Told.Counted(ID, "x y", 4, 9, 60)),
                7,
                true));
  }
}
