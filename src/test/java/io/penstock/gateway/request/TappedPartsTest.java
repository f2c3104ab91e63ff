package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.test.publisher.TestPublisher;

class TappedPartsTest {
  private final List<String> signals = new ArrayList<>();

  private Flux<Flux<DataBuffer>> tapped(Flux<? extends Flux<DataBuffer>> body) {
    return TappedParts.of(
        body,
        buffer -> signals.add(buffer.toString(StandardCharsets.UTF_8)),
        signal -> signals.add(signal.name()));
  }

  private static Flux<DataBuffer> part(String text) {
    DataBuffer buffer =
        DefaultDataBufferFactory.sharedInstance.wrap(text.getBytes(StandardCharsets.UTF_8));
    return Flux.just(buffer);
  }

  @Test
  void partsTakenAheadOfReading_endsAfterTheLastIsRead() {
    List<Flux<DataBuffer>> taken = new ArrayList<>();
    tapped(Flux.just(part("a"), part("b"))).subscribe(taken::add);
    assertThat(signals).isEmpty();
    taken.forEach(Flux::subscribe);
    assertThat(signals).containsExactly("a", "b", SignalType.ON_COMPLETE.name());
  }

  @Test
  void partsReadAsTheyCome_endsWithTheBody() {
    TestPublisher<Flux<DataBuffer>> body = TestPublisher.create();
    tapped(body.flux()).concatMap(part -> part).subscribe();
    body.next(part("a"));
    assertThat(signals).containsExactly("a");
    body.complete();
    assertThat(signals).containsExactly("a", SignalType.ON_COMPLETE.name());
  }

  @Test
  void bodyComplete_isToldBeforeThoseDownstreamHearOfIt() {
    tapped(Flux.just(part("a")))
        .concatMap(part -> part)
        .doOnComplete(() -> signals.add("downstream"))
        .subscribe();
    assertThat(signals).containsExactly("a", SignalType.ON_COMPLETE.name(), "downstream");
  }

  @Test
  void cancelAfterTheEnd_isNotTold() {
    TestPublisher<DataBuffer> body =
        TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
    Subscription[] subscription = new Subscription[1];
    TappedParts.ended(body.flux(), signal -> signals.add(signal.name()))
        .doOnSubscribe(each -> subscription[0] = each)
        .subscribe();
    body.complete();
    subscription[0].cancel();
    assertThat(signals).containsExactly(SignalType.ON_COMPLETE.name());
  }

  @Test
  void noParts_endsAtOnce() {
    tapped(Flux.empty()).subscribe();
    assertThat(signals).containsExactly(SignalType.ON_COMPLETE.name());
  }

  @Test
  void bodyCancelledOrFailed_endsSo() {
    TestPublisher<Flux<DataBuffer>> body = TestPublisher.create();
    tapped(body.flux()).concatMap(part -> part).subscribe().dispose();
    assertThat(signals).containsExactly(SignalType.CANCEL.name());
    signals.clear();
    tapped(Flux.error(new IllegalStateException("cut"))).subscribe(part -> {}, error -> {});
    assertThat(signals).containsExactly(SignalType.ON_ERROR.name());
  }

  @Test
  void lastPartFails_endsAfterThePartsBeforeItAreRead() {
    List<Flux<DataBuffer>> taken = new ArrayList<>();
    tapped(Flux.just(part("a"), Flux.error(new IllegalStateException("cut"))))
        .subscribe(taken::add);
    assertThat(signals).isEmpty();
    taken.forEach(each -> each.subscribe(buffer -> {}, error -> {}));
    assertThat(signals).containsExactly("a", SignalType.ON_ERROR.name());
  }

  @Test
  void partCancelledOrFailed_endsSo() {
    tapped(Flux.just(Mono.<DataBuffer>never().flux()))
        .subscribe(part -> part.subscribe().dispose());
    assertThat(signals).startsWith(SignalType.CANCEL.name());
    signals.clear();
    tapped(Flux.just(Flux.<DataBuffer>error(new IllegalStateException("cut"))))
        .subscribe(part -> part.subscribe(buffer -> {}, error -> {}));
    assertThat(signals).startsWith(SignalType.ON_ERROR.name());
  }
}
