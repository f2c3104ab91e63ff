package io.penstock.gateway.identify;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.wire.ClientConnections;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ShutdownGateTest {
  private final ShutdownGate shutdownGate =
      new ShutdownGate(new ClientConnections(Duration.ofSeconds(60)));

  @Test
  void closedWithNobodyInside_isEmptyAtOnce() {
    assertThat(shutdownGate.enter()).isTrue();
    shutdownGate.leave();
    assertThat(shutdownGate.close()).isCompleted();
  }

  @Test
  void closed_letsNobodyIn_andIsEmptyWhenTheLastHasLeft() {
    assertThat(shutdownGate.enter()).isTrue();
    assertThat(shutdownGate.enter()).isTrue();
    CompletableFuture<Void> empty = shutdownGate.close();
    assertThat(shutdownGate.enter()).isFalse();
    assertThat(shutdownGate.inside()).isEqualTo(2);
    shutdownGate.leave();
    assertThat(empty).isNotDone();
    shutdownGate.leave();
    assertThat(empty).isCompleted();
  }

  @Test
  void closedTwice_isClosedOnce() {
    assertThat(shutdownGate.enter()).isTrue();
    CompletableFuture<Void> empty = shutdownGate.close();
    assertThat(shutdownGate.close()).isSameAs(empty).isNotDone();
    shutdownGate.leave();
    assertThat(empty).isCompleted();
  }

  @Test
  void openDoor_isNeverEmpty() {
    for (int i = 0; i < 3; i++) {
      assertThat(shutdownGate.enter()).isTrue();
      shutdownGate.leave();
    }
    assertThat(shutdownGate.enter()).isTrue();
    assertThat(shutdownGate.close()).isNotDone();
  }
}
