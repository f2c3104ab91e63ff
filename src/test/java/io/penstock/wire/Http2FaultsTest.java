package io.penstock.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.penstock.fake.FakeTicker;
import org.junit.jupiter.api.Test;

class Http2FaultsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_000 * SECOND;

  private final Http2Faults faults = new Http2Faults(new FakeTicker());

  private String line(long now) {
    return faults.line("/192.0.2.1:7", new Http2Exception(Http2Error.PROTOCOL_ERROR, "bad\n"), now);
  }

  @Test
  void faults_areOneLineAMinute_withTheirNumber() {
    assertThat(line(NOW))
        .isEqualTo(
            "client /192.0.2.1:7 broke the rules of HTTP/2, so its connection is closed:"
                + " PROTOCOL_ERROR, bad?");
    assertThat(line(NOW)).isNull();
    assertThat(line(NOW + 60 * SECOND - 1)).isNull();
    assertThat(line(NOW + 60 * SECOND)).endsWith("bad? (and 2 more since the last such line)");
    assertThat(line(NOW + 120 * SECOND)).endsWith("bad?");
  }

  @Test
  void fault_endsHere_andOtherErrorsGoOn() {
    EmbeddedChannel channel = new EmbeddedChannel();
    faults.install(channel);
    channel.pipeline().fireExceptionCaught(new Http2Exception(Http2Error.PROTOCOL_ERROR, "bad"));
    channel.checkException();
    IllegalStateException other = new IllegalStateException("other");
    channel.pipeline().fireExceptionCaught(other);
    assertThat(channel.pipeline().last()).isNotNull();
    assertThat(org.assertj.core.api.Assertions.catchThrowable(channel::checkException))
        .isSameAs(other);
  }

  @Test
  void handlerInFrontOfTheCodec_movesBehindIt() {
    EmbeddedChannel channel = new EmbeddedChannel();
    faults.install(channel);
    channel.pipeline().addLast(new ChannelInboundHandlerAdapter());
    channel.writeInbound("no HTTP/2 yet");
    String before = channel.pipeline().names().toString();
    channel.pipeline().addLast(Http2FrameCodecBuilder.forServer().build());
    channel.writeInbound("the first bytes");
    assertThat(before).startsWith("[penstock.http2Faults");
    assertThat(channel.pipeline().names().getFirst()).isNotEqualTo("penstock.http2Faults");
    channel.finishAndReleaseAll();
  }
}
