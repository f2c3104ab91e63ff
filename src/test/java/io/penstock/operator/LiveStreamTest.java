package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.event.EventBus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import org.springframework.http.codec.ServerSentEvent;
import reactor.core.publisher.BaseSubscriber;
import reactor.test.scheduler.VirtualTimeScheduler;
import tools.jackson.databind.node.ObjectNode;

class LiveStreamTest {
  private final List<ObjectNode> endpoints = new ArrayList<>(List.of(endpoint(0)));
  private final VirtualTimeScheduler scheduler = VirtualTimeScheduler.create();
  private final RecentWaits recentWaits = new RecentWaits();
  private int looks;
  private final LiveChanges live =
      new LiveChanges(
          () -> {
            looks++;
            return endpoints;
          },
          () -> "[]",
          () -> "{}");
  private final LiveStream stream = new LiveStream(live, recentWaits, new EventBus(), scheduler);

  LiveStreamTest() {
    stream.start();
  }

  private static ObjectNode endpoint(long depth) {
    return OperatorJson.object().put("path", "/a").put("queue_depth", depth);
  }

  /** A subscriber that requests items explicitly and records them. */
  private static final class Reader extends BaseSubscriber<ServerSentEvent<String>> {
    final List<String> got = new ArrayList<>();
    boolean ended;

    @Override
    protected void hookOnSubscribe(Subscription subscription) {}

    @Override
    protected void hookOnNext(ServerSentEvent<String> event) {
      got.add(event.event() == null ? "comment" : event.event());
    }

    @Override
    protected void hookOnComplete() {
      ended = true;
    }
  }

  private Reader reader(long asks) {
    Reader reader = new Reader();
    stream.news().subscribe(reader);
    reader.request(asks);
    scheduler.advanceTime();
    return reader;
  }

  private void pass(int millis) {
    scheduler.advanceTimeBy(Duration.ofMillis(millis));
  }

  @Test
  void reader_isToldAll_andThenWhatChanges() {
    Reader reader = reader(100);
    assertThat(reader.got).containsExactly("endpoints", "upstreams", "instance");
    pass(2_000);
    assertThat(reader.got).hasSize(3);
    endpoints.set(0, endpoint(1));
    pass(500);
    assertThat(reader.got).hasSize(4).last().isEqualTo("endpoints");
  }

  @Test
  void manyReaders_shareOneLook() {
    for (int i = 0; i < 100; i++) {
      reader(100);
    }
    int before = looks;
    pass(500);
    assertThat(looks).isEqualTo(before + 1);
    assertThat(stream.readers()).isEqualTo(100);
  }

  @Test
  void slowReader_isToldTheLatestOnce() {
    Reader slow = reader(3);
    Reader quick = reader(1_000);
    for (int i = 1; i <= 100; i++) {
      endpoints.set(0, endpoint(i));
      pass(500);
    }
    assertThat(quick.got.stream().filter("endpoints"::equals)).hasSize(101);
    assertThat(slow.got).hasSize(3);
    slow.request(100);
    scheduler.advanceTime();
    assertThat(slow.got.stream().filter("endpoints"::equals).count()).isBetween(2L, 4L);
    assertThat(slow.got).contains("lost");
    assertThat(quick.got).doesNotContain("lost");
  }

  @Test
  void oneReaderTooMany_endsAtOnce_untilAnotherIsGone() {
    List<Reader> readers = new ArrayList<>();
    for (int each = 0; each < StreamReaders.MOST; each++) {
      readers.add(reader(1));
    }
    Reader tooMany = reader(1);
    assertThat(tooMany.ended).isTrue();
    assertThat(tooMany.got).isEmpty();
    readers.getFirst().cancel();
    assertThat(reader(1).ended).isFalse();
    assertThat(stream.readers()).isEqualTo(StreamReaders.MOST);
  }

  @Test
  void nobodyLooks_onceTheLastReaderIsGone() {
    Reader reader = reader(100);
    reader.cancel();
    assertThat(stream.readers()).isZero();
    pass(6_000);
    int before = looks;
    pass(10_000);
    assertThat(looks).isEqualTo(before);
    assertThat(reader(10).got).contains("endpoints");
  }

  @Test
  void silentStream_isHeardOf() {
    Reader reader = reader(100);
    pass(15_000);
    assertThat(reader.got).contains("comment");
  }

  @Test
  void stoppedGateway_endsIt() {
    Reader reader = reader(100);
    stream.stop();
    assertThat(reader.ended).isTrue();
    Reader late = reader(100);
    assertThat(late.ended).isTrue();
    assertThat(late.got).isEmpty();
  }
}
