package io.penstock.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.penstock.tenant.SharedState;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Queue of connections to one upstream that are to be established, first come first served, while
 * as many others as allowed are being established. The connect timeout of a connection begins when
 * its turn comes. When a connection cannot be established, and since its attempt began no other
 * could, all that wait fail with it: if the upstream does not listen, they need not each wait for
 * their turn to find out. Safe from any thread.
 */
final class ConnectLine {
  /** A connection that is to be established. */
  private final class Place {
    private final ChannelHandlerContext context;
    private final SocketAddress remote;
    private final @Nullable SocketAddress local;
    private final ChannelPromise promise;
    private long establishedBefore;

    Place(
        ChannelHandlerContext context,
        SocketAddress remote,
        @Nullable SocketAddress local,
        ChannelPromise promise) {
      this.context = context;
      this.remote = remote;
      this.local = local;
      this.promise = promise;
    }

    /** Establishes the connection when its turn has come. */
    void connect() {
      if (!context.channel().isOpen()) {
        promise.tryFailure(new ClosedChannelException());
        next();
        return;
      }
      context.connect(remote, local, promise).addListener(done -> settled(this, done.cause()));
    }

    void fail(Throwable cause) {
      context.executor().execute(() -> promise.tryFailure(cause));
    }
  }

  private final class Waiter extends ChannelOutboundHandlerAdapter {
    @Override
    public void connect(
        ChannelHandlerContext context,
        SocketAddress remote,
        @Nullable SocketAddress local,
        ChannelPromise promise) {
      Place place = new Place(context, remote, local, promise);
      if (begins(place)) {
        place.connect();
      }
    }
  }

  private final int most;

  @SharedState("connections to upstreams")
  private final Queue<Place> waiting = new ArrayDeque<>();

  private int establishing;
  private long established;

  /**
   * Creates an empty queue.
   *
   * @param most how many connections are established at once, ≥ 1
   */
  ConnectLine(int most) {
    this.most = most;
  }

  /** Makes a new connection wait for its turn. */
  void install(Channel channel) {
    channel.pipeline().addFirst(new Waiter());
  }

  /** Returns whether the connection can be established at once; otherwise queues it. */
  private synchronized boolean begins(Place place) {
    if (establishing == most) {
      waiting.add(place);
      return false;
    }
    establishing++;
    place.establishedBefore = established;
    return true;
  }

  private void settled(Place place, @Nullable Throwable cause) {
    if (cause == null) {
      succeeded();
    } else if (cause instanceof SocketException) { // not when this side gave up
      hopeless(place).forEach(waiter -> waiter.fail(cause));
    }
    next();
  }

  private synchronized void succeeded() {
    established++;
  }

  /**
   * Removes and returns all that wait, if no connection was established since the failed one was
   * tried.
   */
  private synchronized List<Place> hopeless(Place failed) {
    if (failed.establishedBefore != established) {
      return List.of();
    }
    List<Place> all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }

  /** Ends a turn, and begins the next one. */
  private void next() {
    Place next = turn();
    if (next != null) {
      next.context.executor().execute(next::connect);
    }
  }

  private synchronized @Nullable Place turn() {
    Place next = waiting.poll();
    if (next == null) {
      establishing--;
    } else {
      next.establishedBefore = established;
    }
    return next;
  }
}
