package io.penstock.wire;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.handler.timeout.ReadTimeoutException;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.handler.timeout.WriteTimeoutException;
import io.penstock.pool.UpstreamSpec;
import java.util.concurrent.TimeUnit;

/** Creates handlers that end a call to an upstream that makes no progress although it could. */
public final class UpstreamWatch {
  private UpstreamWatch() {}

  /**
   * Fails with {@link ReadTimeoutException} when an answer stalls although its reader wants more.
   */
  public static ReadTimeoutHandler ofAnswer(UpstreamSpec.Timeouts timeouts) {
    return new OfAnswer(timeouts.stallNanos());
  }

  /** Fails with {@link WriteTimeoutException} when the upstream takes no more of its request. */
  public static IdleStateHandler ofRequest(UpstreamSpec.Timeouts timeouts) {
    return new OfRequest(timeouts.stallNanos());
  }

  private static final class OfAnswer extends ReadTimeoutHandler {
    private boolean paused;

    OfAnswer(long nanos) {
      super(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    protected void readTimedOut(ChannelHandlerContext context) throws Exception {
      if (!context.channel().config().isAutoRead()) {
        paused = true; // the client reads slowly, which is no fault of the upstream
      } else if (paused) {
        paused = false; // reading was resumed only since the last check
      } else {
        super.readTimedOut(context);
      }
    }
  }

  private static final class OfRequest extends IdleStateHandler {
    private boolean failed;

    OfRequest(long nanos) {
      super(true, 0, nanos, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the exception says it all
    protected void channelIdle(ChannelHandlerContext context, IdleStateEvent event) {
      // if there is nothing to write, it is the client that is slow
      if (event.state() == IdleState.WRITER_IDLE && !context.channel().isWritable() && !failed) {
        failed = true;
        context.fireExceptionCaught(WriteTimeoutException.INSTANCE);
        context.close();
      }
    }
  }
}
