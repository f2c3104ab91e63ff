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
    StoreContact contact = new StoreContact(policy, slices, TTL, 0);
    contact.answered(SENT, 3);
    return contact;
  }

  private static Limit shared() {
    Limit limit = new Limit(new LimitSpec.FixedWindow(10, SliceWorld.SECOND), 0);
    limit.sharing().share(new SliceDemand(() -> {}), 0);
    return limit;
  }

  @Test
  void neverHeard_isCutOffASliceAfterTheStart() {
    StoreContact contact = new StoreContact(OutagePolicy.SHARE, true, TTL, SENT);
    assertThat(contact.members()).isZero();
    assertThat(contact.endsNanos()).isEqualTo(ENDS);
    assertThat(contact.changes(false, ENDS)).isTrue();
    assertThat(contact.parts()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void silence_cutsOffASliceAfterWhatWasHeardLast(OutagePolicy policy) {
    StoreContact contact = heard(policy, true);
    assertThat(contact.members()).isEqualTo(3);
    assertThat(contact.changes(false, ENDS - 1)).isFalse();
    assertThat(contact.cutOffNanos()).isEqualTo(StoreContact.CONNECTED);
    assertThat(contact.changes(false, ENDS)).isEqualTo(policy != OutagePolicy.PARK);
    assertThat(contact.cutOffNanos()).isEqualTo(ENDS);
    assertThat(contact.changes(false, ENDS)).as("nothing new").isFalse();
    assertThat(contact.changes(false, ENDS + 1)).as("nothing new").isFalse();
    assertThat(contact.parts()).isEqualTo(policy == OutagePolicy.SHARE ? 3 : 0);
  }

  @Test
  void answer_endsItOnceSlicesMayBeTaken() {
    StoreContact contact = heard(OutagePolicy.SHARE, true);
    contact.changes(false, ENDS);
    contact.answered(ENDS, 2);
    assertThat(contact.changes(true, ENDS + 1)).isFalse();
    assertThat(contact.parts()).isEqualTo(3);
    assertThat(contact.changes(false, ENDS + TTL - 1)).isTrue();
    assertThat(contact.cutOffNanos()).isEqualTo(StoreContact.CONNECTED);
    assertThat(contact.parts()).isZero();
  }

  @Test
  void answerThatWasNotEnough_isFollowedByAnotherCutOff() {
    StoreContact contact = heard(OutagePolicy.SHARE, true);
    contact.changes(false, ENDS);
    contact.answered(ENDS, 2);
    assertThat(contact.changes(true, ENDS + TTL)).isTrue();
    assertThat(contact.cutOffNanos()).isEqualTo(ENDS + TTL);
    assertThat(contact.parts()).isEqualTo(2);
  }

  @Test
  void countsOnly_areNotDivided() {
    StoreContact contact = heard(OutagePolicy.SHARE, false);
    contact.changes(false, ENDS);
    assertThat(contact.parts()).isZero();
  }

  @Test
  void limits_doWhatIsSaidWhileCutOff_andAgainAsBeforeAfterIt() {
    StoreContact contact = heard(OutagePolicy.REFUSE, true);
    Limit limit = shared();
    contact.apply(limit, ENDS);
    assertThat(limit.sharing().refusal()).isNull();
    contact.changes(false, ENDS);
    contact.apply(limit, ENDS);
    Refusal refusal = limit.sharing().refusal();
    assertThat(refusal).isNotNull();
    assertThat(refusal.retryAfterMillis()).hasValue(2_000);
    contact.answered(ENDS, 3);
    contact.changes(false, ENDS);
    contact.apply(limit, ENDS);
    assertThat(limit.sharing().refusal()).isNull();
  }

  @Test
  void refusalOfCounts_tellsTheLeastTimeToComeBackIn() {
    Limit limit = shared();
    heard(OutagePolicy.REFUSE, false).applyApart(limit, ENDS);
    assertThat(limit.sharing().refusal())
        .satisfies(refusal -> assertThat(refusal.retryAfterMillis()).hasValue(1_000));
  }

  @Test
  void limitOnItsOwn_doesAsAllWould() {
    Limit limit = shared();
    heard(OutagePolicy.ALLOW, true).applyApart(limit, ENDS);
    assertThat(limit.room(0)).isPositive();
    heard(OutagePolicy.SHARE, true).applyApart(limit, ENDS);
    assertThat(limit.room(0)).as("a third of 10").isEqualTo(3);
  }
}
