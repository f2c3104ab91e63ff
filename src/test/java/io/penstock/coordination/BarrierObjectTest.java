package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BarrierObjectTest extends MemoryClient {
  @Test
  void openedBarrier_keepsTheSizeItOpenedWith() {
    ask(new ObjectOperation.Arrive(2));
    now(new ObjectOperation.Arrive(2));
    assertThat(now(new ObjectOperation.Arrive(7))).isEqualTo(ObjectReplies.OPENED);
    assertThat(statistics(ObjectKind.BARRIER)).containsEntry("size", 2L);
  }

  @Test
  void statistics_sayHowLongAllWaited() {
    pass(SECOND);
    ask(new ObjectOperation.Arrive(2));
    pass(3 * SECOND);
    now(new ObjectOperation.Arrive(2));
    assertThat(statistics(ObjectKind.BARRIER))
        .containsEntry("total_wait_time", 3_000L)
        .containsEntry("average_wait_time", 1_500.0);
  }

  @Test
  void whoWasDismissed_countsNoMore() {
    ClientTurn dismissed = ask(new ObjectOperation.Arrive(2));
    memory.dismiss(new ObjectReply.Stopping());
    List<ClientTurn> arrived =
        List.of(ask(new ObjectOperation.Arrive(3)), ask(new ObjectOperation.Arrive(3)));
    assertThat(arrived).extracting(ClientTurn::reply).containsOnlyNulls();
    now(new ObjectOperation.Arrive(3));
    assertThat(arrived).extracting(ClientTurn::reply).containsOnly(ObjectReplies.DONE);
    assertThat(dismissed.reply()).isEqualTo(new ObjectReply.Stopping());
  }
}
