package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UpstreamComplaintsTest {
  private static final long MINUTE = 60_000_000_000L;

  private final UpstreamComplaints complaints = new UpstreamComplaints(() -> 0);

  @Test
  void firstComplaint_isLogged() {
    assertThat(complaints.line("a", "broken", 5)).isEqualTo("upstream a: broken");
    assertThat(complaints.line("b", "broken", 5)).isEqualTo("upstream b: broken");
  }

  @Test
  void complaintsWithinAMinute_areOnlyCounted() {
    complaints.line("a", "broken", 5);
    assertThat(complaints.line("a", "broken", 6)).isNull();
    assertThat(complaints.line("a", "stalled", 4 + MINUTE)).isNull();
    assertThat(complaints.line("a", "stalled", 5 + MINUTE))
        .isEqualTo("upstream a: stalled (and 2 more since the last such line)");
    assertThat(complaints.line("a", "broken", 6 + 3 * MINUTE)).isEqualTo("upstream a: broken");
  }
}
