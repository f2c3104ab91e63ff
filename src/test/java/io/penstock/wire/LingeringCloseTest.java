package io.penstock.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings("FutureReturnValueIgnored") // only the state of the channel is checked
class LingeringCloseTest {
  private static final String HEAD = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n";

  private final EmbeddedChannel channel = new EmbeddedChannel();

  @BeforeEach
  void connect() {
    channel.pipeline().addLast("codec", new HttpServerCodec());
    channel.pipeline().addLast("guard", new ConnectionGuard(false));
    channel.freezeTime();
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private void send(String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, US_ASCII));
    channel.releaseInbound();
  }

  private void answer() {
    var answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.FORBIDDEN);
    ChannelFuture written = channel.writeAndFlush(answer);
    // the channel's own close() would cancel scheduled tasks
    written.addListener(done -> channel.pipeline().close());
    channel.releaseOutbound();
  }

  @Test
  void whoHasSentAll_isClosedAtOnce() {
    send(HEAD + "0123456789");
    answer();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void whoStillSends_isHeardToTheEnd() {
    send(HEAD + "01234");
    answer();
    assertThat(channel.isOpen()).isTrue();
    channel.writeInbound(Unpooled.copiedBuffer("5678", US_ASCII));
    assertThat(channel.inboundMessages()).as("what nobody reads").isEmpty();
    assertThat(channel.isOpen()).isTrue();
    send("9");
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void whoStillSends_isWaitedForTenSeconds() {
    send(HEAD + "01234");
    answer();
    channel.advanceTimeBy(9_999, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isTrue();
    channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void whoStillSends_isClosedWhenAskedAgain() {
    send(HEAD + "01234");
    answer();
    ChannelFuture closed = channel.close();
    assertThat(closed.isSuccess()).isTrue();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void whoStillSends_isClosedOnceItSaysThatItEnds() {
    send(HEAD + "01234");
    answer();
    channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void whoSaysWhatIsNotHttp_isHeardUntilItEnds() {
    send("no such thing\r\n\r\n");
    answer();
    assertThat(channel.isOpen()).isTrue();
    send("more of that\r\n\r\n");
    assertThat(channel.isOpen()).isTrue();
    channel.close();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void whoHasNoAnswer_isClosedAtOnce() {
    send(HEAD + "01234");
    ChannelFuture closed = channel.close();
    assertThat(closed.isSuccess()).isTrue();
    assertThat(channel.isOpen()).isFalse();
  }
}
