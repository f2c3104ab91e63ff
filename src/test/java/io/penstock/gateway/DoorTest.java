package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.wire.Connections;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DoorTest {
  private final Door door = new Door(new Connections());

  @Test
  void closedWithNobodyInside_isEmptyAtOnce() {
    assertThat(door.enter()).isTrue();
    door.leave();
    assertThat(door.close()).isCompleted();
  }

  @Test
  void closed_letsNobodyIn_andIsEmptyWhenTheLastHasLeft() {
    assertThat(door.enter()).isTrue();
    assertThat(door.enter()).isTrue();
    CompletableFuture<Void> empty = door.close();
    assertThat(door.enter()).isFalse();
    assertThat(door.inside()).isEqualTo(2);
    door.leave();
    assertThat(empty).isNotDone();
    door.leave();
    assertThat(empty).isCompleted();
  }

  @Test
  void closedTwice_isClosedOnce() {
    assertThat(door.enter()).isTrue();
    CompletableFuture<Void> empty = door.close();
    assertThat(door.close()).isSameAs(empty).isNotDone();
    door.leave();
    assertThat(empty).isCompleted();
  }

  @Test
  void openDoor_isNeverEmpty() {
    for (int i = 0; i < 3; i++) {
      assertThat(door.enter()).isTrue();
      door.leave();
    }
    assertThat(door.enter()).isTrue();
    assertThat(door.close()).isNotDone();
  }
}
