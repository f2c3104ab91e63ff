package io.penstock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.time.Ticker;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class QueueDisciplineTest {
  private static QueueDiscipline<Ticket> discipline(QueueOrder queueOrder) {
    return DisciplineFactory.create(queueOrder, 1_000, 7);
  }

  @ParameterizedTest
  @CsvSource({
    "FIFO, true",
    "LIFO, false",
    "PRIORITY, true",
    "RANDOM, false",
    "DEADLINE, true",
    "FAIR, true"
  })
  void order_saysWhetherItCanBeForeseen(QueueOrder queueOrder, boolean foreseeable) {
    QueueDiscipline<Ticket> queueDiscipline = discipline(queueOrder);
    assertThat(queueDiscipline.order()).isEqualTo(queueOrder);
    assertThat(queueDiscipline.foreseeable()).isEqualTo(foreseeable);
  }

  @ParameterizedTest
  @EnumSource
  void anotherOrder_isNotTheSame(QueueOrder queueOrder) {
    for (QueueOrder other : QueueOrder.values()) {
      boolean same = discipline(queueOrder).same(discipline(other));
      assertThat(same).as("%s and %s", queueOrder, other).isEqualTo(queueOrder == other);
    }
  }

  @ParameterizedTest
  @EnumSource
  void twoThatWaitNowhere_areNotBothBeforeTheOther(QueueOrder queueOrder) {
    QueueDiscipline<Ticket> queueDiscipline = discipline(queueOrder);
    Ticket one = new Ticket(1, Cost.ofInput(1), 0, 0, Ticker.NEVER);
    Ticket other = new Ticket(2, Cost.ofInput(1), 0, 0, Ticker.NEVER);
    queueDiscipline.enter(one, 0, "one", 1);
    queueDiscipline.enter(other, 0, "other", 1);
    assertThat(queueDiscipline.precedes(one, other) && queueDiscipline.precedes(other, one))
        .isFalse();
    assertThat(queueDiscipline.precedes(one, one)).isFalse();
  }
}
