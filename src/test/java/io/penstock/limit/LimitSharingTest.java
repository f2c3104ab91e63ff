package io.penstock.limit;

import static io.penstock.limit.LimitContract.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import org.junit.jupiter.api.Test;

/** Tests of limits whose share does not suffice while the store of shares is away. */
class LimitSharingTest {
  private static final long NOW = 4 * SECOND;

  private final Limit limit = new Limit(new LimitSpec.FixedWindow(100, 10 * SECOND), NOW);

  LimitSharingTest() {
    HeldShares.none(limit, () -> {}, NOW);
    HeldShares.give(limit, 30, NOW);
  }

  private boolean isUnavailable(long amount) {
    return limit.sharing().isUnavailable(amount, NOW);
  }

  @Test
  void away_isUnavailableAsFarAsTheShareLacks() {
    HeldShares.contact(limit, ShareNews.Contact.AWAY);
    assertThat(isUnavailable(30)).isFalse();
    assertThat(isUnavailable(31)).isTrue();
    limit.take(Weight.exactly(30), NOW);
    assertThat(isUnavailable(70)).isTrue();
    assertThat(isUnavailable(71)).as("it used that up itself").isFalse();
    assertThat(limit.sharing().isAwaitingShare(70, NOW)).isFalse();
  }

  @Test
  void moreThanTheWholeLimit_isUnavailableAsTheWholeLimitIs() {
    HeldShares.contact(limit, ShareNews.Contact.AWAY);
    assertThat(isUnavailable(1_000)).isTrue();
    limit.charge(21, 0, NOW);
    assertThat(isUnavailable(1_000)).isFalse();
  }

  @Test
  void backAgain_isAwaited() {
    HeldShares.contact(limit, ShareNews.Contact.AWAY);
    HeldShares.contact(limit, ShareNews.Contact.READY);
    assertThat(isUnavailable(31)).isFalse();
    assertThat(limit.sharing().isAwaitingShare(31, NOW)).isTrue();
  }

  @Test
  void deniedAlone_isNotUnavailable() {
    HeldShares.deny(limit, 31, NOW);
    assertThat(isUnavailable(31)).isFalse();
    assertThat(limit.sharing().isAwaitingShare(31, NOW)).isFalse();
  }

  @Test
  void shutMeanwhile_refusesByThatAlone() {
    HeldShares.contact(limit, ShareNews.Contact.AWAY);
    Refusal away = Refusal.of(RefusalReason.LIMIT_UNAVAILABLE, "away");
    limit.sharing().cutOff(new OutageCap.Shut(away), NOW);
    assertThat(isUnavailable(31)).isFalse();
    assertThat(limit.sharing().refusal()).isEqualTo(away);
  }

  @Test
  void sharedNoMore_isNotUnavailable() {
    HeldShares.contact(limit, ShareNews.Contact.AWAY);
    limit.sharing().unshare(NOW);
    assertThat(isUnavailable(31)).isFalse();
    assertThat(limit.sharing().contact()).isNull();
  }
}
