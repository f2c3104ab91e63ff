package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UpstreamComplaintsTest {
  private static final long MINUTE = 60_000_000_000L;

  private final UpstreamComplaints upstreamComplaints = new UpstreamComplaints(() -> 0);

  @Test
  void firstComplaint_isLogged() {
    assertThat(upstreamComplaints.line("a", "broken", 5)).isEqualTo("upstream a: broken");
    assertThat(upstreamComplaints.line("b", "broken", 5)).isEqualTo("upstream b: broken");
  }

  @Test
  void complaintsWithinAMinute_areOnlyCounted() {
    upstreamComplaints.line("a", "broken", 5);
    assertThat(upstreamComplaints.line("a", "broken", 6)).isNull();
    assertThat(upstreamComplaints.line("a", "stalled", 4 + MINUTE)).isNull();
    assertThat(upstreamComplaints.line("a", "stalled", 5 + MINUTE))
        .isEqualTo("upstream a: stalled (and 2 more since the last such line)");
    assertThat(upstreamComplaints.line("a", "broken", 6 + 3 * MINUTE))
        .isEqualTo("upstream a: broken");
  }
}
