package io.penstock.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.sharing.DenialStore;
import org.junit.jupiter.api.Test;

class DenialOutboxTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void denials_beyondWhatMayWait_areDroppedAndCounted() {
    DenialOutbox outbox = new DenialOutbox(SECOND);
    for (int i = 0; i < DenialOutbox.MOST; i++) {
      assertThat(outbox.add(new DenialStore.Denial("key-rpm", "k" + i, 60_000, 1, 1), 0)).isTrue();
    }
    assertThat(outbox.add(new DenialStore.Denial("key-rpm", "more", 60_000, 1, 1), 0)).isFalse();
    assertThat(outbox.begin(0)).hasSize(DenialOutbox.BATCH);
    assertThat(outbox.dropOverdue(SECOND)).isEqualTo(DenialOutbox.BATCH);
    assertThat(outbox.due(SECOND)).isTrue();
  }
}
