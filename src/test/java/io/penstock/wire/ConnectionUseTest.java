package io.penstock.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.penstock.fake.FakeTicker;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.netty.NettyPipeline;

class ConnectionUseTest {
  private static final long MILLI = 1_000_000;

  private final FakeTicker ticker = new FakeTicker();
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ConnectionUse use;

  ConnectionUseTest() {
    channel.pipeline().addLast(NettyPipeline.HttpCodec, new ChannelInboundHandlerAdapter());
    ConnectionUse.install(channel, ticker);
    use = Objects.requireNonNull(ConnectionUse.of(channel));
  }

  private void call(long answeredAfterMillis) {
    use.begins();
    use.written();
    ticker.advance(answeredAfterMillis * MILLI);
    channel.writeInbound("bytes");
  }

  @ParameterizedTest
  @CsvSource({
    "999, 0, 0, false",
    "1000, 0, 0, true",
    "1000, 400, 1000, true",
    "1000, 400, 1001, false",
    "600000, 0, 1000, true",
  })
  void breakWithoutAnAnswer_isThatOfAnIdleConnection_ifItWasIdleAndBreaksSoonAfterTheRequest(
      long idleMillis, long writtenAfter, long brokenAfter, boolean closed) {
    call(5_000);
    ticker.advance(idleMillis * MILLI);
    use.begins();
    ticker.advance(writtenAfter * MILLI);
    use.written();
    ticker.advance(brokenAfter * MILLI);
    assertThat(use.wasClosedWhileIdle()).isEqualTo(closed);
  }

  @Test
  void requestThatIsNeverWrittenWhole_countsFromItsBeginning() {
    call(0);
    ticker.advance(1_000 * MILLI);
    use.begins();
    ticker.advance(1_000 * MILLI);
    assertThat(use.wasClosedWhileIdle()).isTrue();
    ticker.advance(1);
    assertThat(use.wasClosedWhileIdle()).isFalse();
  }

  @Test
  void firstRequestOfAConnection_isNotPrecededByIdleness() {
    ticker.advance(60_000 * MILLI); // a slow handshake
    use.begins();
    use.written();
    assertThat(use.wasClosedWhileIdle()).isFalse();
  }

  @Test
  void anyByteOfAnAnswer_showsThatTheConnectionWasOpen() {
    call(0);
    ticker.advance(2_000 * MILLI);
    call(0);
    assertThat(use.wasClosedWhileIdle()).isFalse();
  }

  @Test
  void connectionWithoutACodec_hasNoUse() {
    EmbeddedChannel bare = new EmbeddedChannel();
    ConnectionUse.install(bare, ticker);
    assertThat(ConnectionUse.of(bare)).isNull();
  }
}
