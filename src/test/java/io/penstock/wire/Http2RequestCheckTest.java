package io.penstock.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2ResetFrame;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Http2RequestCheckTest {
  private final EmbeddedChannel channel = new EmbeddedChannel(new Http2RequestCheck());

  private static DefaultHttp2HeadersFrame frame(
      @Nullable String method, @Nullable String path, boolean end) {
    Http2Headers headers = new DefaultHttp2Headers(false).scheme("http").authority("a");
    if (method != null) {
      headers.method(method);
    }
    if (path != null) {
      headers.path(path);
    }
    return new DefaultHttp2HeadersFrame(headers, end);
  }

  @ParameterizedTest
  @CsvSource({"GET,", "G@T,/", "'',/", "GET,/a b"})
  void onlyFrameThatIsNoRequest_isResetAndGoesNoFurther(String method, @Nullable String path) {
    channel.writeInbound(frame(method, path, true));
    assertThat(channel.<Object>readInbound()).isNull();
    assertThat(channel.<Http2ResetFrame>readOutbound().errorCode())
        .isEqualTo(Http2Error.PROTOCOL_ERROR.code());
  }

  @Test
  void otherFrames_goOn() {
    Object[] others = {
      frame("GET", "/", true), frame("GET", null, false), frame(null, null, true), "any"
    };
    for (Object other : others) {
      channel.writeInbound(other);
      assertThat(channel.<Object>readInbound()).isSameAs(other);
    }
    assertThat(channel.<Object>readOutbound()).isNull();
  }

  @Test
  void connection_hasTheCheckOnce_behindTheCodec() {
    EmbeddedChannel http2 = new EmbeddedChannel(Http2FrameCodecBuilder.forServer().build());
    Http2RequestCheck.install(http2);
    Http2RequestCheck.install(http2);
    assertThat(http2.pipeline().names()).hasSize(3); // with the end of the pipeline
    assertThat(http2.pipeline().last()).isInstanceOf(Http2RequestCheck.class);
    Http2RequestCheck.install(channel);
    assertThat(channel.pipeline().names()).hasSize(2);
    http2.finishAndReleaseAll();
  }
}
