package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.event.Event;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

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
    ObjectNode of = Objects.requireNonNull(recentWaits.of("/a"));
    assertThat(of.path("p50_ms").asLong()).isBetween(460L, 560L);
    assertThat(of.path("p90_ms").asLong()).isBetween(850L, 980L);
    assertThat(of.path("p99_ms").asLong()).isBetween(930L, 1_070L);
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
