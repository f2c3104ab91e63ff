package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TimedTasksTest {
  private final TimedTasks timedTasks = new TimedTasks();
  private final List<String> done = new ArrayList<>();

  private TimedTasks.@Nullable Entry note(long atNanos, boolean late, String what) {
    return timedTasks.note(atNanos, late, _ -> done.add(what));
  }

  @Test
  void whatIsDue_isDoneInOrder_andAtOneInstantAsItWasNoted() {
    note(7, false, "after");
    note(5, true, "late");
    note(5, false, "first");
    note(5, false, "second");
    note(3, true, "before");
    timedTasks.run(5);
    assertThat(done).containsExactly("before", "first", "second", "late");
    assertThat(timedTasks.nextNanos()).isEqualTo(7);
  }

  @Test
  void whatIsStruck_isNotDone() {
    TimedTasks.Entry struck = note(1, false, "struck");
    note(2, false, "kept");
    timedTasks.strike(struck);
    assertThat(timedTasks.nextNanos()).isEqualTo(2);
    timedTasks.run(2);
    assertThat(done).containsExactly("kept");
    timedTasks.strike(struck);
    assertThat(timedTasks.nextNanos()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void whatNeverComes_isNotNoted() {
    assertThat(note(Ticker.NEVER, false, "never")).isNull();
    timedTasks.run(Ticker.NEVER);
    assertThat(done).isEmpty();
  }
}
