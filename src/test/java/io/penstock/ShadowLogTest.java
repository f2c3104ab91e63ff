package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.event.Event;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ShadowLogTest {
  private static final long SECOND = 1_000_000_000L;

  private final ShadowLog log = new ShadowLog();

  private @Nullable String line(
      String endpoint, long at, long waited, @Nullable RefusalReason reason) {
    Refusal refusal = reason == null ? null : Refusal.of(reason, "no");
    return log.line(new Event.Shadowed(at * SECOND, endpoint, 1, waited * SECOND, refusal));
  }

  @Test
  void decisionsOfAMinute_areOneLine() {
    assertThat(line("/a", 5, 0, null)).isNull();
    assertThat(line("/a", 6, 3, null)).isNull();
    assertThat(line("/a", 7, 0, RefusalReason.QUEUE_FULL)).isNull();
    assertThat(line("/b", 64, 9, null)).isNull();
    assertThat(line("/a", 65, 2, null))
        .isEqualTo(
            "shadow /a: 3 would have gone, 2 of them after a wait of up to 3000 ms;"
                + " 1 queue_full");
    assertThat(line("/a", 66, 0, null)).isNull();
    assertThat(line("/a", 200, 0, null))
        .isEqualTo("shadow /a: 2 would have gone, 0 of them after a wait");
  }

  @Test
  void moreEndpointsThanThereIsRoomFor_areOneLineTogether() {
    for (int each = 0; each < ShadowLog.MOST; each++) {
      line("/" + each, 0, 0, null);
    }
    line("/x", 0, 0, null);
    assertThat(line("/y", 60, 0, null)).startsWith("shadow other endpoints: 2 would have gone");
    assertThat(line("/0", 60, 0, null)).startsWith("shadow /0: 2 would have gone");
  }
}
