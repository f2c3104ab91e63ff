package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.PatientWaits;
import io.penstock.limit.CellAmount;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.SliceStore.Ask;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Contract of all slice stores for the remainders they report. The shared clock is initially at
 * {@link #START}.
 */
public abstract class LeftContract {
  protected static final long SECOND = 1_000_000_000L;
  public static final long START = 1_700_000_000L * SECOND;
  public static final long TTL = 2 * SECOND;
  static final long NUMBERED = START / (10 * SECOND);
  static final LimitSpec FIXED = new LimitSpec.FixedWindow(100, 10 * SECOND);
  static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(100, 60 * SECOND, SECOND / 20, 100);
  static final LimitId FIXED_ID = id("fixed", 10 * SECOND);
  static final LimitId TRAILING_ID = id("trailing", 60 * SECOND);

  /** Number of the last round. */
  long number;

  /** Creates a store where slices and silent members live for {@link #TTL}. */
  protected abstract SliceStore supply();

  /** Sets the shared clock. */
  protected abstract void clock(long nanos);

  protected static LimitId id(String name, long durationNanos) {
    return new LimitId(LimitId.Kind.UPSTREAM, name, "m", LimitMeasure.TOKENS, durationNanos);
  }

  protected static SliceStore.Answer sent(SliceStore sliceStore, SliceStore.Round round) {
    return PatientWaits.join(sliceStore.round(round));
  }

  protected final SliceStore.Answer round(SliceStore sliceStore, String member, Ask... asks) {
    number++;
    return sent(sliceStore, SliceFixture.round(member, number, List.of(asks)));
  }

  static Ask ask(LimitId id, LimitSpec spec, long head, long wanted, CellAmount... uses) {
    return new Ask(id, spec, 0, List.of(uses), head, wanted, Ask.NONE, Ask.NONE);
  }

  static Ask fixed(long wanted, CellAmount... uses) {
    return ask(FIXED_ID, FIXED, 0, wanted, uses);
  }

  static Ask trailing(long wanted, CellAmount... uses) {
    return ask(TRAILING_ID, TRAILING, 0, wanted, uses);
  }

  private static void assertLeft(SliceStore.Answer answer, long left, long fullNanos) {
    SliceStore.Grant grant = answer.grants().getFirst();
    assertThat(grant.remaining()).as("left of " + grant).isEqualTo(left);
    assertThat(grant.fullNanos()).as("when it is full: " + grant).isEqualTo(fullNanos);
  }

  @Test
  void grantOfAFixedWindow_tellsWhatNobodyHas_andWhenTheWindowEnds() {
    SliceStore sliceStore = supply();
    assertLeft(round(sliceStore, "a", fixed(30)), 70, START + 10 * SECOND);
    assertLeft(round(sliceStore, "b", fixed(20)), 50, START + 10 * SECOND);
    assertLeft(
        round(sliceStore, "a", fixed(0, new CellAmount(NUMBERED, 5))), 75, START + 10 * SECOND);
    clock(START + 10 * SECOND);
    assertLeft(round(sliceStore, "a", fixed(0)), 100, START + 10 * SECOND);
  }

  @Test
  void lowerLimitOfAnotherMember_isWhatIsLeft() {
    SliceStore sliceStore = supply();
    assertLeft(round(sliceStore, "a", fixed(60)), 40, START + 10 * SECOND);
    Ask low = ask(FIXED_ID, new LimitSpec.FixedWindow(50, 10 * SECOND), 0, 0);
    assertLeft(round(sliceStore, "low", low), 0, START + 10 * SECOND);
  }

  @Test
  void grantOfATrailingWindow_tellsWhatIsLeft_andWhenTheLastOfItCountsNoMore() {
    SliceStore sliceStore = supply();
    assertLeft(round(sliceStore, "a", trailing(30)), 70, START + 62 * SECOND);
    clock(START + 30 * SECOND);
    CellAmount spent = new CellAmount(START / SECOND, 30);
    assertLeft(round(sliceStore, "b", trailing(50, spent)), 0, START + 92 * SECOND);
  }

  @Test
  void barredCell_hasNothingLeft() {
    SliceStore sliceStore = supply();
    Ask bars = new Ask(FIXED_ID, FIXED, 0, List.of(), 0, 0, NUMBERED, Ask.NONE);
    assertLeft(round(sliceStore, "a", bars), 0, START + 10 * SECOND);
  }

  @Test
  void grantOfADay_tellsWhenItEnds() {
    LimitSpec spec = new LimitSpec.Day(1_000, null, 0);
    LimitId id = id("day", LimitSpec.Day.NANOS);
    SliceStore sliceStore = supply();
    assertLeft(round(sliceStore, "a", ask(id, spec, 2, 0)), 998, START + LimitSpec.Day.NANOS);
    LimitSpec utc = new LimitSpec.Day(1_000, new ZoneMidnights(ZoneOffset.UTC, () -> 0), 0);
    long midnight = (START / LimitSpec.Day.NANOS + 1) * LimitSpec.Day.NANOS;
    Ask calendar = ask(id("calendar", LimitSpec.Day.NANOS), utc, 2, 0);
    assertLeft(round(sliceStore, "a", calendar), 998, midnight);
  }

  @Test
  void grantOfABucket_tellsWhenItIsFull() {
    LimitSpec spec = new LimitSpec.TokenBucket(new ExactRate(10, 1), 50);
    SliceStore sliceStore = supply();
    assertLeft(round(sliceStore, "a", ask(id("bucket", 0), spec, 20, 0)), 30, START + 2 * SECOND);
  }

  @Test
  void grantOfSlots_tellsWhenTheNextOneIs() {
    LimitSpec spec = new LimitSpec.Strict(new ExactRate(4, 1), 0);
    SliceStore sliceStore = supply();
    assertLeft(round(sliceStore, "a", ask(id("strict", 0), spec, 0, 0)), 1, START);
    long next = START + 2_000_000 + SECOND / 4;
    assertLeft(round(sliceStore, "a", ask(id("strict", 0), spec, 1, 0)), 0, next);
  }

  @Test
  void grantOfPermits_tellsHowManyAreNotOut() {
    SliceStore sliceStore = supply();
    Ask ask = ask(id("permits", 0), new LimitSpec.Concurrency(5), 2, 0);
    assertLeft(round(sliceStore, "a", ask), 3, START);
  }
}
