package io.penstock.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class FlushedPartsTest {
  private static final String CUT = "cut";

  /** Reader of a body that takes one buffer whenever it is told to. */
  private static final class SlowReader extends BaseSubscriber<DataBuffer> {
    private final List<String> read = new ArrayList<>();

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      read.add("begun");
    }

    @Override
    protected void hookOnNext(DataBuffer buffer) {
      read.add(buffer.toString(StandardCharsets.UTF_8));
    }

    @Override
    protected void hookOnComplete() {
      read.add("whole");
    }

    @Override
    protected void hookOnError(Throwable error) {
      read.add(String.valueOf(error.getMessage()));
    }
  }

  private final SlowReader reader = new SlowReader();

  private Mono<Void> write(Flux<DataBuffer> body) {
    MockServerHttpResponse response = new MockServerHttpResponse();
    response.setWriteHandler(
        written -> {
          written.subscribe(reader);
          return Mono.never();
        });
    return FlushedParts.write(response, body);
  }

  private static Flux<DataBuffer> parts(String... texts) {
    return Flux.fromArray(texts)
        .map(
            text ->
                DefaultDataBufferFactory.sharedInstance.wrap(
                    text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void bodyBreaksOffBeforeItsPartsAreRead_allAreReadBeforeTheError() {
    write(parts("a", "b").concatWith(Mono.error(new IllegalStateException(CUT)))).subscribe();
    assertThat(reader.read).containsExactly("begun");
    reader.request(1);
    assertThat(reader.read).containsExactly("begun", "a");
    reader.request(2);
    assertThat(reader.read).containsExactly("begun", "a", "b", CUT);
  }

  @Test
  void wholeBody_isReadToItsEnd() {
    write(parts("a", "b")).subscribe();
    reader.request(2);
    assertThat(reader.read).containsExactly("begun", "a", "b", "whole");
  }

  @Test
  void bodyThatBreaksOffAtOnce_leavesTheResponseToAnotherAnswer() {
    StepVerifier.create(write(Flux.error(new IllegalStateException(CUT)))).verifyErrorMessage(CUT);
    assertThat(reader.read).isEmpty();
  }
}
