package io.penstock.sync;

import static io.penstock.sync.World.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.Demand;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.refusal.Refusal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests from when until when an instance is cut off, and how limits behave then. */
class ContactTest {
  private static final long SENT = 5_000;
  private static final long ENDS = SENT + TTL;

  private static Contact heard(OnOutage policy, boolean slices) {
    Contact contact = new Contact(policy, slices, TTL, 0);
    contact.heard(SENT, 3);
    return contact;
  }

  private static Limit shared() {
    Limit limit = new Limit(new LimitSpec.FixedWindow(10, World.SECOND), 0);
    limit.share(new Demand(() -> {}), 0);
    return limit;
  }

  @Test
  void neverHeard_isCutOffASliceAfterTheStart() {
    Contact contact = new Contact(OnOutage.SHARE, true, TTL, SENT);
    assertThat(contact.members()).isZero();
    assertThat(contact.endsNanos()).isEqualTo(ENDS);
    assertThat(contact.changes(false, ENDS)).isTrue();
    assertThat(contact.parts()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void silence_cutsOffASliceAfterWhatWasHeardLast(OnOutage policy) {
    Contact contact = heard(policy, true);
    assertThat(contact.members()).isEqualTo(3);
    assertThat(contact.changes(false, ENDS - 1)).isFalse();
    assertThat(contact.cutOffNanos()).isEqualTo(Contact.CONNECTED);
    assertThat(contact.changes(false, ENDS)).isEqualTo(policy != OnOutage.PARK);
    assertThat(contact.cutOffNanos()).isEqualTo(ENDS);
    assertThat(contact.changes(false, ENDS)).as("nothing new").isFalse();
    assertThat(contact.changes(false, ENDS + 1)).as("nothing new").isFalse();
    assertThat(contact.parts()).isEqualTo(policy == OnOutage.SHARE ? 3 : 0);
  }

  @Test
  void answer_endsItOnceSlicesMayBeTaken() {
    Contact contact = heard(OnOutage.SHARE, true);
    contact.changes(false, ENDS);
    contact.heard(ENDS, 2);
    assertThat(contact.changes(true, ENDS + 1)).isFalse();
    assertThat(contact.parts()).isEqualTo(3);
    assertThat(contact.changes(false, ENDS + TTL - 1)).isTrue();
    assertThat(contact.cutOffNanos()).isEqualTo(Contact.CONNECTED);
    assertThat(contact.parts()).isZero();
  }

  @Test
  void answerThatWasNotEnough_isFollowedByAnotherCutOff() {
    Contact contact = heard(OnOutage.SHARE, true);
    contact.changes(false, ENDS);
    contact.heard(ENDS, 2);
    assertThat(contact.changes(true, ENDS + TTL)).isTrue();
    assertThat(contact.cutOffNanos()).isEqualTo(ENDS + TTL);
    assertThat(contact.parts()).isEqualTo(2);
  }

  @Test
  void countsOnly_areNotDivided() {
    Contact contact = heard(OnOutage.SHARE, false);
    contact.changes(false, ENDS);
    assertThat(contact.parts()).isZero();
  }

  @Test
  void limits_doWhatIsSaidWhileCutOff_andAgainAsBeforeAfterIt() {
    Contact contact = heard(OnOutage.REFUSE, true);
    Limit limit = shared();
    contact.apply(limit);
    assertThat(limit.refusal()).isNull();
    contact.changes(false, ENDS);
    contact.apply(limit);
    Refusal refusal = limit.refusal();
    assertThat(refusal).isNotNull();
    assertThat(refusal.retryAfterSeconds()).hasValue(2);
    contact.heard(ENDS, 3);
    contact.changes(false, ENDS);
    contact.apply(limit);
    assertThat(limit.refusal()).isNull();
  }

  @Test
  void refusalOfCounts_tellsTheLeastTimeToComeBackIn() {
    Limit limit = shared();
    heard(OnOutage.REFUSE, false).applyApart(limit);
    assertThat(limit.refusal())
        .satisfies(refusal -> assertThat(refusal.retryAfterSeconds()).hasValue(1));
  }

  @Test
  void limitOnItsOwn_doesAsAllWould() {
    Limit limit = shared();
    heard(OnOutage.ALLOW, true).applyApart(limit);
    assertThat(limit.room(0)).isPositive();
    heard(OnOutage.SHARE, true).applyApart(limit);
    assertThat(limit.room(0)).isZero();
  }
}
