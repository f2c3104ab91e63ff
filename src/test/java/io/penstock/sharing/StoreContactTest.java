package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.HeldShares;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.refusal.Refusal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests from when until when an instance is cut off, and how limits behave then. */
class StoreContactTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long LEASE = 12 * SECOND;
  private static final long SENT = 5_000;
  private static final long ENDS = SENT + LEASE;

  private static StoreContact heard(OutagePolicy policy) {
    StoreContact contact = new StoreContact(policy, LEASE, 0);
    contact.answered(SENT, 3);
    return contact;
  }

  private static Limit shared() {
    Limit limit = new Limit(new LimitSpec.FixedWindow(10, SECOND), 0);
    HeldShares.none(limit, () -> {}, 0);
    return limit;
  }

  @Test
  void neverHeard_isCutOffALeaseAfterTheStart() {
    StoreContact contact = new StoreContact(OutagePolicy.CONTINUE, LEASE, SENT);
    assertThat(contact.members()).isZero();
    assertThat(contact.endsNanos()).isEqualTo(ENDS);
    assertThat(contact.changes(false, ENDS)).isTrue();
    assertThat(contact.cutOffNanos()).isEqualTo(ENDS);
  }

  @ParameterizedTest
  @EnumSource
  void silence_cutsOffALeaseAfterWhatWasHeardLast(OutagePolicy policy) {
    StoreContact contact = heard(policy);
    assertThat(contact.members()).isEqualTo(3);
    assertThat(contact.changes(false, ENDS - 1)).isFalse();
    assertThat(contact.cutOffNanos()).isEqualTo(StoreContact.CONNECTED);
    assertThat(contact.changes(false, ENDS)).isEqualTo(policy != OutagePolicy.PARK);
    assertThat(contact.cutOffNanos()).isEqualTo(ENDS);
    assertThat(contact.changes(false, ENDS)).as("nothing new").isFalse();
    assertThat(contact.changes(false, ENDS + 1)).as("nothing new").isFalse();
  }

  @Test
  void answer_endsItOnceLimitsMayBeTakenFrom() {
    StoreContact contact = heard(OutagePolicy.REFUSE);
    contact.changes(false, ENDS);
    contact.answered(ENDS, 2);
    assertThat(contact.changes(true, ENDS + 1)).isFalse();
    assertThat(contact.cutOffNanos()).isEqualTo(ENDS);
    assertThat(contact.changes(false, ENDS + LEASE - 1)).isTrue();
    assertThat(contact.cutOffNanos()).isEqualTo(StoreContact.CONNECTED);
  }

  @Test
  void answerThatWasNotEnough_isFollowedByAnotherCutOff() {
    StoreContact contact = heard(OutagePolicy.REFUSE);
    contact.changes(false, ENDS);
    contact.answered(ENDS, 2);
    assertThat(contact.changes(true, ENDS + LEASE)).isTrue();
    assertThat(contact.cutOffNanos()).isEqualTo(ENDS + LEASE);
  }

  @Test
  void limits_doWhatIsSaidWhileCutOff_andAgainAsBeforeAfterIt() {
    StoreContact contact = heard(OutagePolicy.REFUSE);
    Limit limit = shared();
    contact.apply(limit, ENDS);
    assertThat(limit.sharing().refusal()).isNull();
    contact.changes(false, ENDS);
    contact.apply(limit, ENDS);
    Refusal refusal = limit.sharing().refusal();
    assertThat(refusal).isNotNull();
    assertThat(refusal.retryAfterMillis()).as("the least that is advised").hasValue(1_000);
    contact.answered(ENDS, 3);
    contact.changes(false, ENDS);
    contact.apply(limit, ENDS);
    assertThat(limit.sharing().refusal()).isNull();
  }

  @Test
  void limitsThatLetAllPassWhileCutOff_haveRoomForAll() {
    StoreContact contact = heard(OutagePolicy.ALLOW);
    contact.changes(false, ENDS);
    Limit limit = shared();
    assertThat(limit.room(ENDS)).isZero();
    contact.apply(limit, ENDS);
    assertThat(limit.room(ENDS)).isEqualTo(Long.MAX_VALUE);
  }
}
