package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class HiddenUsageTest {
  private static final String TEXT = "data: {\"choices\":[{}],\"usage\":null}\n\n";
  private static final String USAGE = "data: {\"choices\":[],\"usage\":{}}\n\n";
  private static final String REST = "data: [DONE]\n\ndata: half";

  private final NettyDataBufferFactory factory =
      new NettyDataBufferFactory(UnpooledByteBufAllocator.DEFAULT);
  private final List<ByteBuf> made = new ArrayList<>();

  private List<DataBuffer> pieces(String text, int size) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    List<DataBuffer> pieces = new ArrayList<>();
    for (int at = 0; at < bytes.length; at += size) {
      int length = Math.min(size, bytes.length - at);
      DataBuffer piece = factory.allocateBuffer(length);
      piece.write(bytes, at, length);
      made.add(NettyDataBufferFactory.toByteBuf(piece));
      pieces.add(piece);
    }
    return pieces;
  }

  private static String read(DataBuffer buffer) {
    String text = buffer.toString(StandardCharsets.UTF_8);
    DataBufferUtils.release(buffer);
    return text;
  }

  @Test
  void event_isHidden_inABodyAndInParts_andNothingLeaks() {
    String body = TEXT + USAGE + REST;
    for (int size = 1; size <= body.length(); size++) {
      HiddenUsage whole = new HiddenUsage(factory);
      StepVerifier.create(
              whole
                  .in(Flux.fromIterable(pieces(body, size)))
                  .map(HiddenUsageTest::read)
                  .reduce(String::concat))
          .expectNext(TEXT + REST)
          .verifyComplete();
      HiddenUsage parts = new HiddenUsage(factory);
      StepVerifier.create(
              parts
                  .inParts(Flux.fromIterable(pieces(body, size)).map(Flux::just))
                  .concatMap(part -> part.map(HiddenUsageTest::read))
                  .reduce(String::concat))
          .expectNext(TEXT + REST)
          .verifyComplete();
    }
    assertThat(made).allMatch(buffer -> buffer.refCnt() == 0);
  }

  @Test
  void bodyThatBreaksOff_passesWhatWasKeptBack() {
    Mono<DataBuffer> cut = Mono.error(new IllegalStateException("cut"));
    StepVerifier.create(
            new HiddenUsage(factory)
                .in(Flux.fromIterable(pieces(TEXT + REST, 5)).concatWith(cut))
                .map(HiddenUsageTest::read)
                .onErrorResume(error -> Mono.just("!"))
                .reduce(String::concat))
        .expectNext(TEXT + REST + "!")
        .verifyComplete();
    StepVerifier.create(
            new HiddenUsage(factory)
                .inParts(
                    Flux.fromIterable(pieces(TEXT + USAGE, 5))
                        .map(Flux::just)
                        .concatWithValues(cut.flux()))
                .concatMap(part -> part.map(HiddenUsageTest::read))
                .onErrorResume(error -> Mono.just("!"))
                .reduce(String::concat))
        .expectNext(TEXT + "!")
        .verifyComplete();
    assertThat(made).allMatch(buffer -> buffer.refCnt() == 0);
  }

  @Test
  void pieceWithNothingToHide_passesAsItIs() {
    List<DataBuffer> pieces = pieces(TEXT + TEXT, TEXT.length());
    StepVerifier.create(new HiddenUsage(factory).in(Flux.fromIterable(pieces)))
        .assertNext(piece -> assertThat(piece).isSameAs(pieces.getFirst()))
        .assertNext(piece -> assertThat(piece).isSameAs(pieces.getLast()))
        .verifyComplete();
    pieces.forEach(DataBufferUtils::release);
  }
}
