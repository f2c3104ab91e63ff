package io.penstock.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventRingTest {
  private static Event event(long ticket) {
    return new Event.Queued(0, "/a", ticket, Cost.NO_TOKENS);
  }

  @Test
  void oneMoreThanFits_isLostAndCounted() {
    AtomicInteger arrivals = new AtomicInteger();
    EventRing ring = new EventRing(3, arrivals::incrementAndGet);
    for (int ticket = 0; ticket < 3; ticket++) {
      ring.publish(event(ticket));
    }
    assertThat(ring.takeLost()).isZero();
    ring.publish(event(3));
    assertThat(ring.takeLost()).isEqualTo(1);
    assertThat(ring.takeLost()).isZero();
    assertThat(arrivals).as("three that fit, and one that was lost").hasValue(4);
    assertThat(ring.drain(10)).containsExactly(event(0), event(1), event(2));
  }

  @Test
  void firstLoss_isSignalled_becauseNothingElseMayCome() {
    AtomicInteger arrivals = new AtomicInteger();
    EventRing ring = new EventRing(1, arrivals::incrementAndGet);
    ring.lose(5);
    ring.lose(2);
    assertThat(arrivals).hasValue(1);
    assertThat(ring.takeLost()).isEqualTo(7);
    ring.lose(1);
    assertThat(arrivals).hasValue(2);
  }

  @Test
  void drain_takesAtMostWhatWasAskedForAndMakesRoom() {
    EventRing ring = new EventRing(2, () -> {});
    ring.publish(event(0));
    ring.publish(event(1));
    assertThat(ring.drain(1)).containsExactly(event(0));
    ring.publish(event(2));
    assertThat(ring.takeLost()).isZero();
    assertThat(ring.drain(9)).containsExactly(event(1), event(2));
    assertThat(ring.drain(9)).isEmpty();
  }

  @Test
  void bus_passesEachEventToAllWhoListen() {
    EventBus bus = new EventBus();
    List<Event> first = new ArrayList<>();
    List<Event> second = new ArrayList<>();
    EventBus.Subscription subscription = bus.subscribe(first::add);
    bus.subscribe(second::add);
    bus.publish(event(1));
    subscription.close();
    subscription.close();
    bus.publish(event(2));
    assertThat(first).containsExactly(event(1));
    assertThat(second).containsExactly(event(1), event(2));
  }
}
