package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.event.Event;
import io.penstock.event.EventBus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import org.springframework.http.codec.ServerSentEvent;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

class EventFanTest {
  private static final int ROOM = 2 * EventFan.INTAKE;

  /** Tasks that the worker has not run yet. */
  private final Queue<Runnable> tasks = new ArrayDeque<>();

  private final EventBus bus = new EventBus();
  private final EventFan fan =
      new EventFan(bus, Schedulers.fromExecutor(tasks::add).createWorker());
  private final List<EventReader> readers = new ArrayList<>();

  private static final class AsksForNothing extends BaseSubscriber<ServerSentEvent<String>> {
    @Override
    protected void hookOnSubscribe(Subscription subscription) {}
  }

  private EventReader reader() {
    Flux.<ServerSentEvent<String>>create(
            sink ->
                readers.add(
                    new EventReader(
                        sink,
                        ROOM,
                        new EventJson(() -> 0, () -> 0),
                        false,
                        new SimpleMeterRegistry().counter("dropped"),
                        VirtualTimeScheduler.create().createWorker())))
        .subscribe(new AsksForNothing());
    EventReader reader = readers.getLast();
    fan.add(reader);
    return reader;
  }

  private void publish(int events) {
    for (int each = 0; each < events; each++) {
      bus.publish(new Event.Cancelled(0, "/a", each));
    }
  }

  private int work() {
    int done = 0;
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
      done++;
    }
    return done;
  }

  @Test
  void whoPublishes_handsAnEventOverOnce_howeverManyRead() {
    EventReader one = reader();
    EventReader other = reader();
    publish(3);
    assertThat(tasks).as("the worker is called once").hasSize(1);
    assertThat(one.ring().drain(ROOM)).isEmpty();
    work();
    assertThat(one.ring().drain(ROOM)).hasSize(3).isEqualTo(other.ring().drain(ROOM));
    publish(1);
    work();
    assertThat(other.ring().drain(ROOM)).hasSize(1);
  }

  @Test
  void workerThatIsLate_losesWhatItHasNoRoomFor_andReadersHearOfIt() {
    EventReader reader = reader();
    publish(EventFan.INTAKE + 5);
    assertThat(work()).as("others work in between").isGreaterThan(10);
    assertThat(reader.ring().drain(ROOM)).hasSize(EventFan.INTAKE);
    assertThat(reader.ring().takeLost()).isEqualTo(5);
  }

  @Test
  void whileNobodyReads_nothingIsKept() {
    EventReader reader = reader();
    fan.remove(reader);
    publish(3);
    assertThat(tasks).isEmpty();
    fan.add(reader);
    publish(1);
    work();
    assertThat(reader.ring().drain(ROOM)).hasSize(1);
  }
}
