package io.penstock.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.server.reactive.AbstractServerHttpResponse;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class SharedBuffersTest {
  private static final NettyDataBufferFactory FACTORY =
      new NettyDataBufferFactory(PooledByteBufAllocator.DEFAULT);

  /** Bytes of a connection, which has a reference of its own. */
  private final ByteBuf read =
      FACTORY
          .getByteBufAllocator()
          .directBuffer()
          .writeBytes("answer".getBytes(StandardCharsets.US_ASCII));

  @AfterEach
  void release() {
    if (read.refCnt() > 0) {
      read.release(read.refCnt());
    }
  }

  /** Returns a slice as a codec makes it; it shares the count of references. */
  private DataBuffer slice() {
    return FACTORY.wrap(read.slice().retain());
  }

  @Test
  void bufferReleasedOnce_hasTheBytes_andGivesUpOneReference() {
    DataBuffer once = SharedBuffers.releasedOnce(slice());
    assertThat(once.toString(StandardCharsets.US_ASCII)).isEqualTo("answer");
    assertThat(read.refCnt()).isEqualTo(2);
    assertThat(DataBufferUtils.release(once)).isTrue();
    assertThat(read.refCnt()).isEqualTo(1);
    assertThat(DataBufferUtils.release(once)).isFalse();
    assertThat(read.refCnt()).isEqualTo(1);
  }

  @Test
  void bufferWithoutReferences_staysAsItIs() {
    DataBuffer plain = DefaultDataBufferFactory.sharedInstance.wrap(new byte[1]);
    assertThat(SharedBuffers.releasedOnce(plain)).isSameAs(plain);
  }

  /** A response whose write fails at the moment in which it is cancelled. */
  private static final class LeftResponse extends AbstractServerHttpResponse {
    private final Disposable.Swap writing = Disposables.swap();

    LeftResponse() {
      super(FACTORY);
    }

    void write(DataBuffer answer) {
      writeWith(Mono.just(answer))
          .doOnSubscribe(subscription -> writing.replace(subscription::cancel))
          .subscribe(done -> {}, error -> {});
    }

    @Override
    protected Mono<Void> writeWithInternal(Publisher<? extends DataBuffer> body) {
      return Mono.defer(
          () -> {
            writing.dispose();
            return Mono.error(new IllegalStateException("the connection is closed"));
          });
    }

    @Override
    protected Mono<Void> writeAndFlushWithInternal(
        Publisher<? extends Publisher<? extends DataBuffer>> body) {
      return Flux.from(body).then();
    }

    @Override
    protected void applyStatusCode() {}

    @Override
    protected void applyHeaders() {}

    @Override
    protected void applyCookies() {}

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // as the framework declares it
    public <T> T getNativeResponse() {
      throw new UnsupportedOperationException();
    }
  }

  /** Returns the references that are left after an answer was written to a client that left. */
  private int left(UnaryOperator<DataBuffer> answer) {
    new LeftResponse().write(Objects.requireNonNull(answer.apply(slice())));
    return read.refCnt();
  }

  @Test
  void writeCancelledAndFailed_takesNoReferenceOfOthers() {
    assertThat(left(SharedBuffers::releasedOnce)).isEqualTo(1);
  }

  @Test
  void writeCancelledAndFailed_inSpring_releasesABufferTwice() {
    assertThat(left(UnaryOperator.identity()))
        .as("if this is 1, the framework was corrected, and releasedOnce is not needed any more")
        .isZero();
  }
}
