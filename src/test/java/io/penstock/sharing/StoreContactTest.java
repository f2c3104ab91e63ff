package io.penstock.sharing;

import static io.penstock.slices.SliceWorld.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.SliceDemand;
import io.penstock.refusal.Refusal;
import io.penstock.slices.SliceWorld;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests from when until when an instance is cut off, and how limits behave then. */
class StoreContactTest {
  private static final long SENT = 5_000;
  private static final long ENDS = SENT + TTL;

  private static StoreContact heard(OutagePolicy policy, boolean slices) {
    StoreContact storeContact = new StoreContact(policy, slices, TTL, 0);
    storeContact.heard(SENT, 3);
    return storeContact;
  }

  private static Limit shared() {
    Limit limit = new Limit(new LimitSpec.FixedWindow(10, SliceWorld.SECOND), 0);
    limit.share(new SliceDemand(() -> {}), 0);
    return limit;
  }

  @Test
  void neverHeard_isCutOffASliceAfterTheStart() {
    StoreContact storeContact = new StoreContact(OutagePolicy.SHARE, true, TTL, SENT);
    assertThat(storeContact.members()).isZero();
    assertThat(storeContact.endsNanos()).isEqualTo(ENDS);
    assertThat(storeContact.changes(false, ENDS)).isTrue();
    assertThat(storeContact.parts()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void silence_cutsOffASliceAfterWhatWasHeardLast(OutagePolicy policy) {
    StoreContact storeContact = heard(policy, true);
    assertThat(storeContact.members()).isEqualTo(3);
    assertThat(storeContact.changes(false, ENDS - 1)).isFalse();
    assertThat(storeContact.cutOffNanos()).isEqualTo(StoreContact.CONNECTED);
    assertThat(storeContact.changes(false, ENDS)).isEqualTo(policy != OutagePolicy.PARK);
    assertThat(storeContact.cutOffNanos()).isEqualTo(ENDS);
    assertThat(storeContact.changes(false, ENDS)).as("nothing new").isFalse();
    assertThat(storeContact.changes(false, ENDS + 1)).as("nothing new").isFalse();
    assertThat(storeContact.parts()).isEqualTo(policy == OutagePolicy.SHARE ? 3 : 0);
  }

  @Test
  void answer_endsItOnceSlicesMayBeTaken() {
    StoreContact storeContact = heard(OutagePolicy.SHARE, true);
    storeContact.changes(false, ENDS);
    storeContact.heard(ENDS, 2);
    assertThat(storeContact.changes(true, ENDS + 1)).isFalse();
    assertThat(storeContact.parts()).isEqualTo(3);
    assertThat(storeContact.changes(false, ENDS + TTL - 1)).isTrue();
    assertThat(storeContact.cutOffNanos()).isEqualTo(StoreContact.CONNECTED);
    assertThat(storeContact.parts()).isZero();
  }

  @Test
  void answerThatWasNotEnough_isFollowedByAnotherCutOff() {
    StoreContact storeContact = heard(OutagePolicy.SHARE, true);
    storeContact.changes(false, ENDS);
    storeContact.heard(ENDS, 2);
    assertThat(storeContact.changes(true, ENDS + TTL)).isTrue();
    assertThat(storeContact.cutOffNanos()).isEqualTo(ENDS + TTL);
    assertThat(storeContact.parts()).isEqualTo(2);
  }

  @Test
  void countsOnly_areNotDivided() {
    StoreContact storeContact = heard(OutagePolicy.SHARE, false);
    storeContact.changes(false, ENDS);
    assertThat(storeContact.parts()).isZero();
  }

  @Test
  void limits_doWhatIsSaidWhileCutOff_andAgainAsBeforeAfterIt() {
    StoreContact storeContact = heard(OutagePolicy.REFUSE, true);
    Limit limit = shared();
    storeContact.apply(limit);
    assertThat(limit.refusal()).isNull();
    storeContact.changes(false, ENDS);
    storeContact.apply(limit);
    Refusal refusal = limit.refusal();
    assertThat(refusal).isNotNull();
    assertThat(refusal.retryAfterSeconds()).hasValue(2);
    storeContact.heard(ENDS, 3);
    storeContact.changes(false, ENDS);
    storeContact.apply(limit);
    assertThat(limit.refusal()).isNull();
  }

  @Test
  void refusalOfCounts_tellsTheLeastTimeToComeBackIn() {
    Limit limit = shared();
    heard(OutagePolicy.REFUSE, false).applyApart(limit);
    assertThat(limit.refusal())
        .satisfies(refusal -> assertThat(refusal.retryAfterSeconds()).hasValue(1));
  }

  @Test
  void limitOnItsOwn_doesAsAllWould() {
    Limit limit = shared();
    heard(OutagePolicy.ALLOW, true).applyApart(limit);
    assertThat(limit.room(0)).isPositive();
    heard(OutagePolicy.SHARE, true).applyApart(limit);
    assertThat(limit.room(0)).isZero();
  }
}
