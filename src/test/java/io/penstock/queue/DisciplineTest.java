package io.penstock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.time.Ticker;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DisciplineTest {
  private static Discipline<Ticket> discipline(Order order) {
    return Discipline.of(order, 1_000, 7);
  }

  @ParameterizedTest
  @CsvSource({
    "FIFO, true, false",
    "LIFO, false, false",
    "PRIORITY, true, false",
    "RANDOM, false, false",
    "DEADLINE, true, false",
    "FAIR, true, true"
  })
  void order_saysWhatIsKnownOfIt(Order order, boolean foreseeable, boolean settles) {
    Discipline<Ticket> discipline = discipline(order);
    assertThat(discipline.order()).isEqualTo(order);
    assertThat(discipline.foreseeable()).isEqualTo(foreseeable);
    assertThat(discipline.settles()).isEqualTo(settles);
  }

  @ParameterizedTest
  @EnumSource
  void anotherOrder_isNotTheSame(Order order) {
    for (Order other : Order.values()) {
      boolean same = discipline(order).same(discipline(other));
      assertThat(same).as("%s and %s", order, other).isEqualTo(order == other);
    }
  }

  @ParameterizedTest
  @EnumSource
  void twoThatWaitNowhere_areNotBothBeforeTheOther(Order order) {
    Discipline<Ticket> discipline = discipline(order);
    Ticket one = new Ticket(1, Cost.ofInput(1), 0, 0, Ticker.NEVER);
    Ticket other = new Ticket(2, Cost.ofInput(1), 0, 0, Ticker.NEVER);
    discipline.enter(one, 0, "one", 1);
    discipline.enter(other, 0, "other", 1);
    assertThat(discipline.precedes(one, other) && discipline.precedes(other, one)).isFalse();
    assertThat(discipline.precedes(one, one)).isFalse();
  }
}
