package io.penstock.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RequestIdsTest {
  @Test
  void newIds_differ_alsoBetweenInstances() {
    Set<String> ids = new HashSet<>();
    for (int instance = 0; instance < 10; instance++) {
      RequestIds requestIds = new RequestIds();
      for (int i = 0; i < 1_000; i++) {
        ids.add(requestIds.of(null));
      }
    }
    assertThat(ids).hasSize(10_000).allMatch(id -> id.matches("[0-9a-f-]{36}"));
  }

  @Test
  void idsOfClients_areTakenWhereTheyFitAHeaderAndALogLine() {
    RequestIds requestIds = new RequestIds();
    assertThat(requestIds.of("mine-7")).isEqualTo("mine-7");
    assertThat(requestIds.of("x".repeat(128))).hasSize(128);
    assertThat(requestIds.of("x".repeat(129))).hasSize(36);
    assertThat(requestIds.of("two words")).hasSize(36);
    assertThat(requestIds.of("")).hasSize(36);
  }
}
