package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.ExactRate;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.ShareDemand;
import io.penstock.quota.MeteredLimit;
import io.penstock.refusal.RefusalReason;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests what clients are told about each kind of limit. */
class LimitHeaderLineTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;

  private static LimitHeaderLine line(LimitMeasure measure, LimitSpec spec, long taken) {
    Limit limit = new Limit(spec, 0);
    if (taken > 0) {
      limit.take(Weight.exactly(taken), 0);
    }
    return Objects.requireNonNull(LimitHeaderLine.of("l", new MeteredLimit(measure, limit), 0));
  }

  @Test
  void minute_hasItsWindow_andResetsWhenTheChargeHasAgedOut() {
    LimitHeaderLine line =
        line(LimitMeasure.TOKENS, new LimitSpec.TrailingWindow(100, MINUTE, 0, 100), 30);
    assertThat(line.policy()).isEqualTo("\"l\";q=100;qu=\"penstock-tokens\";w=60");
    assertThat(line.left()).matches("\"l\";r=70;t=6[01]");
  }

  @Test
  void limitNobodyUsed_hasAllOfIt_andNeedsNoTime() {
    LimitHeaderLine line =
        line(LimitMeasure.REQUESTS, new LimitSpec.TrailingWindow(5, MINUTE, 0, 5), 0);
    assertThat(line.policy()).isEqualTo("\"l\";q=5;w=60");
    assertThat(line.left()).isEqualTo("\"l\";r=5;t=0");
  }

  @Test
  void bucket_isToldAsWhatItHolds_andHowLongThatTakes() {
    LimitHeaderLine line =
        line(LimitMeasure.REQUESTS, new LimitSpec.TokenBucket(new ExactRate(2, 1), 10), 4);
    assertThat(line.policy()).isEqualTo("\"l\";q=10;w=5");
    assertThat(line.left()).isEqualTo("\"l\";r=6;t=2");
  }

  @Test
  void slots_areOneEach() {
    LimitHeaderLine line =
        line(LimitMeasure.REQUESTS, new LimitSpec.Strict(new ExactRate(1, 3), 0), 1);
    assertThat(line.policy()).isEqualTo("\"l\";q=1;w=3");
    assertThat(line.left()).isEqualTo("\"l\";r=0;t=3");
  }

  @Test
  void concurrency_hasNoWindow_andNobodyKnowsWhenItFrees() {
    LimitHeaderLine line = line(LimitMeasure.CONCURRENCY, new LimitSpec.Concurrency(3), 0);
    assertThat(line.policy()).isEqualTo("\"l\";q=3;qu=\"concurrent-requests\"");
    assertThat(line.left()).isEqualTo("\"l\";r=3;t=0");
  }

  @Test
  void noLimit_isNotTold() {
    Limit none = new Limit(new LimitSpec.Unlimited(), 0);
    assertThat(LimitHeaderLine.of("l", new MeteredLimit(LimitMeasure.REQUESTS, none), 0)).isNull();
  }

  @Test
  void name_isTheReasonWithWhichItRefuses_elseWhatItCounts() {
    Limit day = new Limit(new LimitSpec.Day(5, null, 0), 0);
    assertThat(
            LimitHeaderLine.name(
                "key", new MeteredLimit(LimitMeasure.REQUESTS, day, RefusalReason.KEY_RPD)))
        .isEqualTo("key-rpd");
    assertThat(LimitHeaderLine.name("upstream", new MeteredLimit(LimitMeasure.REQUESTS, day)))
        .isEqualTo("upstream-rpd");
  }

  @Test
  void limitThatOthersSpendToo_isNotAskedOfThem_andTellsNothingLeftUntilAnythingIsHeard() {
    AtomicInteger asked = new AtomicInteger();
    Limit shared = new Limit(new LimitSpec.TrailingWindow(100, MINUTE, 0, 100), 0);
    shared.sharing().holdShares(at -> true, new ShareDemand(asked::incrementAndGet), 0);
    LimitHeaderLine line =
        Objects.requireNonNull(
            LimitHeaderLine.of("l", new MeteredLimit(LimitMeasure.REQUESTS, shared), 0));
    assertThat(line.left()).isEqualTo("\"l\";r=0");
    assertThat(asked).hasValue(0);
  }
}
