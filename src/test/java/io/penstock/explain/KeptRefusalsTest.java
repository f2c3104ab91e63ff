package io.penstock.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.dispatch.TicketRequest;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeptRefusalsTest {
  private static final Refusal WHY = Refusal.of(RefusalReason.KEY_RPM, "why");

  private final KeptRefusals refusals = new KeptRefusals();
  private long next;

  private long add(@Nullable String key, long now) {
    TicketRequest.Origin origin = new TicketRequest.Origin(null, key, null);
    refusals.add(PastTicket.turnedAway(next, origin, "/", Cost.NO_TOKENS, WHY, now));
    return next++;
  }

  private boolean knows(long number, long now) {
    return refusals.last(past -> past.number() == number, now) != null;
  }

  @Test
  void oneMoreOfAKeyThanAreKept_itsFirstIsForgotten_andOthersStay() {
    long other = add("other", 0);
    long first = add("key", 0);
    for (int each = 1; each < KeptRefusals.MOST_OF_KEY; each++) {
      add("key", 0);
    }
    assertThat(knows(first, 0)).isTrue();
    add("key", 0);
    assertThat(knows(first, 0)).isFalse();
    assertThat(knows(first + 1, 0)).isTrue();
    assertThat(knows(other, 0)).isTrue();
  }

  @Test
  void oneMoreThanAreKept_theFirstIsForgotten() {
    long first = add(null, 0);
    for (int each = 1; each < KeptRefusals.MOST; each++) {
      add("key-" + each % 20, 0);
    }
    assertThat(knows(first, 0)).isTrue();
    add("one more", 0);
    assertThat(knows(first, 0)).isFalse();
    assertThat(knows(first + 1, 0)).isTrue();
  }

  @Test
  void refusal_isKeptForAnHour() {
    long first = add("key", 5);
    assertThat(knows(first, 5 + KeptRefusals.KEPT_NANOS)).isTrue();
    assertThat(knows(first, 6 + KeptRefusals.KEPT_NANOS)).isFalse();
    assertThat(refusals.ofKey("key", 6 + KeptRefusals.KEPT_NANOS)).isEmpty();
  }

  @Test
  void refusalsOfAKey_areCountedByReason() {
    add("key", 0);
    add("key", 1);
    add("other", 1);
    assertThat(refusals.ofKey("key", 1)).containsOnlyKeys("key_rpm").containsEntry("key_rpm", 2L);
    assertThat(refusals.ofKey("nobody", 1)).isEmpty();
  }

  @Test
  void largestSums_comeFirst() {
    add("key", 0);
    add(null, 0);
    add(null, 1);
    assertThat(refusals.largest(2, 1))
        .containsExactly(
            new KeptRefusals.Sum(null, "key_rpm", 2), new KeptRefusals.Sum("key", "key_rpm", 1));
    assertThat(refusals.largest(1, 1)).hasSize(1);
    assertThat(refusals.largest(2, 2 + KeptRefusals.KEPT_NANOS)).isEmpty();
  }
}
