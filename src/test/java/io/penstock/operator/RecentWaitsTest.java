package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.event.Event;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RecentWaitsTest {
  private final RecentWaits recentWaits = new RecentWaits();

  private void released(String path, long waitedMillis) {
    recentWaits.publish(
        new Event.Released(0, path, 1, null, null, Cost.NO_TOKENS, waitedMillis * 1_000_000));
  }

  @Test
  void nobodyLetGo_isNoFigure() {
    recentWaits.publish(new Event.Served(0, "/a", 1));
    assertThat(recentWaits.of("/a")).isNull();
  }

  @Test
  void shares_areOfThoseOfTheEndpoint_toADigit() {
    for (int i = 1; i <= 100; i++) {
      released("/a", i * 10L);
      released("/b", 5_000);
    }
    LiveRow.Waits of = Objects.requireNonNull(recentWaits.of("/a"));
    assertThat(of.p50Ms()).isBetween(460L, 560L);
    assertThat(of.p90Ms()).isBetween(850L, 980L);
    assertThat(of.p99Ms()).isBetween(930L, 1_070L);
  }

  @Test
  void endpointsThatWent_areForgotten() {
    released("/a", 10);
    released("/b", 10);
    recentWaits.keep(List.of("/b"));
    assertThat(recentWaits.of("/a")).isNull();
    assertThat(recentWaits.of("/b")).isNotNull();
  }
}
