package io.penstock.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes the connection of a client that takes nothing of what is to be sent to it for a while, so
 * that its request gives back what it holds. A client that takes anything at all in that time is
 * merely slow, and one to which there is nothing to send just waits. Time is measured only while
 * something could not be sent at once, so clients that read cost nothing.
 *
 * <p>Over HTTP/2 each stream has a handler of its own, and is reset alone; there a client must take
 * a whole piece of the answer, of at most 64 KiB, in that time. Belongs to one channel and its
 * event loop; must be the handler next to the socket.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a client that takes nothing need not be told
final class ClientWriteTimeout extends ChannelDuplexHandler {
  private static final String NAME = "penstock.write-timeout";

  private final long timeoutNanos;
  private final Runnable onStall;

  /** The pieces that were written, and those of them that were flushed. */
  private long written;

  private long flushed;

  /** The pieces that a stream of HTTP/2 has sent. */
  private long sentOfStream;

  /** The pieces, and bytes of the piece after them, that were sent when the timer was set. */
  private long sentAtStart;

  private long bytesAtStart;

  private @Nullable Future<?> timer;

  private ClientWriteTimeout(long timeoutNanos, Runnable onStall) {
    this.timeoutNanos = timeoutNanos;
    this.onStall = onStall;
  }

  /**
   * Adds a handler to a channel.
   *
   * @param onStall called before the channel is closed because its client takes nothing
   */
  static void install(Channel channel, long timeoutNanos, Runnable onStall) {
    channel.pipeline().addFirst(NAME, new ClientWriteTimeout(timeoutNanos, onStall));
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    written++;
    boolean stream = context.channel() instanceof Http2StreamChannel;
    context.write(message, stream ? promise.unvoid().addListener(done -> sentOfStream++) : promise);
  }

  @Override
  public void flush(ChannelHandlerContext context) {
    flushed = written;
    context.flush();
    if (timer == null && sent(context.channel()) < flushed) {
      start(context);
    }
  }

  private void start(ChannelHandlerContext context) {
    sentAtStart = sent(context.channel());
    bytesAtStart = bytesOfNext(context.channel());
    timer = context.executor().schedule(() -> check(context), timeoutNanos, TimeUnit.NANOSECONDS);
  }

  /** Returns how many pieces were sent in full. */
  private long sent(Channel channel) {
    if (channel instanceof Http2StreamChannel) {
      return sentOfStream;
    }
    ChannelOutboundBuffer rest = channel.unsafe().outboundBuffer();
    return rest == null ? flushed : flushed - rest.size();
  }

  /** Returns how many bytes of the piece after those were sent, as far as that is known. */
  private static long bytesOfNext(Channel channel) {
    ChannelOutboundBuffer rest = channel.unsafe().outboundBuffer();
    return rest == null ? 0 : rest.currentProgress();
  }

  private void check(ChannelHandlerContext context) {
    timer = null;
    Channel channel = context.channel();
    long sent = sent(channel);
    if (sent == flushed || !channel.isActive()) {
      return;
    }
    if (sent != sentAtStart || bytesOfNext(channel) != bytesAtStart) {
      start(context);
      return;
    }
    onStall.run();
    if (!(channel instanceof Http2StreamChannel)) {
      channel.config().setOption(ChannelOption.SO_LINGER, 0); // else it would look like an end
    }
    context.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (timer != null) {
      timer.cancel(false);
    }
    context.fireChannelInactive();
  }
}
