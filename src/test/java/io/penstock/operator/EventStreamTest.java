package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.event.Event;
import io.penstock.event.EventBus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import org.springframework.http.codec.ServerSentEvent;
import reactor.core.publisher.BaseSubscriber;
import reactor.test.scheduler.VirtualTimeScheduler;

class EventStreamTest {
  private final EventBus bus = new EventBus();
  private final Counter dropped = new SimpleMeterRegistry().counter("dropped");
  private final VirtualTimeScheduler scheduler = VirtualTimeScheduler.create();
  private final EventStream stream =
      new EventStream(bus, new EventJson(() -> 0, () -> 0), dropped, scheduler);

  EventStreamTest() {
    stream.start();
  }

  /** A subscriber that requests items explicitly and records them. */
  private static final class Reader extends BaseSubscriber<ServerSentEvent<String>> {
    final List<String> got = new ArrayList<>();
    boolean ended;

    @Override
    protected void hookOnSubscribe(Subscription subscription) {}

    @Override
    protected void hookOnNext(ServerSentEvent<String> event) {
      got.add(event.event() == null ? event.comment() : event.event() + event.data());
    }

    @Override
    protected void hookOnComplete() {
      ended = true;
    }
  }

  private Reader reader(long asks) {
    Reader reader = new Reader();
    stream.events(false).subscribe(reader);
    reader.request(asks);
    scheduler.advanceTime();
    return reader;
  }

  private void publish(int events) {
    for (int each = 0; each < events; each++) {
      bus.publish(new Event.Cancelled(0, "/a", each));
    }
    scheduler.advanceTime();
  }

  @Test
  void event_goesToEveryReader() {
    Reader one = reader(10);
    Reader other = reader(10);
    publish(1);
    assertThat(one.got).hasSize(2).last().asString().startsWith("cancelled{");
    assertThat(other.got).isEqualTo(one.got);
  }

  @Test
  void readerThatAsksForNothing_keepsAsMuchAsTheRing_andIsToldOfTheRest() {
    Reader reader = reader(1);
    publish(EventStream.RING + 3);
    assertThat(reader.got).containsExactly("events from now on");
    reader.request(2);
    scheduler.advanceTime();
    assertThat(reader.got).element(1).isEqualTo("lost{\"events\":3}");
    assertThat(reader.got).last().asString().contains("\"ticket\":0");
    assertThat(dropped.count()).isEqualTo(3);
    reader.request(Long.MAX_VALUE);
    scheduler.advanceTime();
    assertThat(reader.got).hasSize(2 + EventStream.RING);
  }

  @Test
  void exactlyTheRing_losesNothing() {
    Reader reader = reader(1);
    publish(EventStream.RING);
    reader.request(Long.MAX_VALUE);
    scheduler.advanceTime();
    assertThat(reader.got).hasSize(1 + EventStream.RING).noneMatch(each -> each.startsWith("lost"));
  }

  @Test
  void silence_isBrokenByAComment_butNotForWhoReadsNothing() {
    Reader reads = reader(10);
    Reader stuck = reader(1);
    scheduler.advanceTimeBy(EventStream.HEARTBEAT);
    scheduler.advanceTimeBy(EventStream.HEARTBEAT);
    assertThat(reads.got).containsExactly("events from now on", "still here", "still here");
    assertThat(stuck.got).containsExactly("events from now on");
  }

  @Test
  void lostEvents_areCountedThoughNobodyReads() {
    reader(1);
    publish(EventStream.RING + 5);
    scheduler.advanceTimeBy(EventStream.HEARTBEAT);
    assertThat(dropped.count()).isEqualTo(5);
  }

  @Test
  void readerThatIsGone_isForgotten() {
    Reader reader = reader(Long.MAX_VALUE);
    assertThat(stream.readers()).isEqualTo(1);
    reader.cancel();
    assertThat(stream.readers()).isZero();
    publish(EventStream.RING + 5);
    assertThat(reader.got).hasSize(1);
    assertThat(dropped.count()).as("nothing listens any more").isZero();
  }

  @Test
  void hundredReadersThatAskForNothing_costThePublisherOneRing_andEachIsToldOfWhatItMissed() {
    List<Reader> readers = new ArrayList<>();
    for (int each = 0; each < 100; each++) {
      readers.add(reader(1));
    }
    for (int batch = 0; batch < 10; batch++) {
      publish(EventStream.RING);
    }
    for (Reader reader : readers) {
      reader.request(Long.MAX_VALUE);
    }
    scheduler.advanceTime();
    assertThat(readers)
        .allSatisfy(
            reader -> {
              assertThat(reader.got).hasSize(2 + EventStream.RING);
              assertThat(reader.got.get(1))
                  .isEqualTo("lost{\"events\":%d}".formatted(9 * EventStream.RING));
            });
    assertThat(dropped.count()).isEqualTo(100.0 * 9 * EventStream.RING);
  }

  @Test
  void oneReaderTooMany_endsAtOnce() {
    for (int each = 0; each < StreamReaders.MOST; each++) {
      assertThat(reader(1).ended).isFalse();
    }
    Reader tooMany = reader(1);
    assertThat(tooMany.ended).isTrue();
    assertThat(tooMany.got).isEmpty();
    assertThat(stream.readers()).isEqualTo(StreamReaders.MOST);
  }

  @Test
  void stop_endsAllReaders_andPublishingGoesOn() {
    Reader reader = reader(10);
    stream.stop();
    assertThat(reader.ended).isTrue();
    assertThat(stream.readers()).isZero();
    publish(1);
    assertThat(reader(10).ended).isTrue();
  }
}
