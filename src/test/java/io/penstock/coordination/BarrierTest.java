package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BarrierTest extends MemoryClient {
  @Test
  void openedBarrier_keepsTheSizeItOpenedWith() {
    ask(new Operation.Arrive(2));
    now(new Operation.Arrive(2));
    assertThat(now(new Operation.Arrive(7))).isEqualTo(Replies.OPENED);
    assertThat(statistics(Kind.BARRIER)).containsEntry("size", 2L);
  }

  @Test
  void statistics_sayHowLongAllWaited() {
    pass(SECOND);
    ask(new Operation.Arrive(2));
    pass(3 * SECOND);
    now(new Operation.Arrive(2));
    assertThat(statistics(Kind.BARRIER))
        .containsEntry("total_wait_time", 3_000L)
        .containsEntry("average_wait_time", 1_500.0);
  }

  @Test
  void whoWasDismissed_countsNoMore() {
    Turn dismissed = ask(new Operation.Arrive(2));
    memory.dismiss(new Reply.Stopping());
    List<Turn> arrived = List.of(ask(new Operation.Arrive(3)), ask(new Operation.Arrive(3)));
    assertThat(arrived).extracting(Turn::reply).containsOnlyNulls();
    now(new Operation.Arrive(3));
    assertThat(arrived).extracting(Turn::reply).containsOnly(Replies.DONE);
    assertThat(dismissed.reply()).isEqualTo(new Reply.Stopping());
  }
}
