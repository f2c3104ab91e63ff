package io.penstock.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests how many connections are established at once, and which comes next. */
@SuppressWarnings("FutureReturnValueIgnored") // the test has the promises
class ConnectLineTest {
  private static final int MOST = 3;

  private final ConnectLine line = new ConnectLine(MOST);
  private final List<EmbeddedChannel> channels = new ArrayList<>();

  /** Connections that the network was asked to establish, in that order. */
  private final List<ChannelPromise> asked = new ArrayList<>();

  private final class Network extends ChannelOutboundHandlerAdapter {
    @Override
    public void connect(
        ChannelHandlerContext context,
        SocketAddress remote,
        SocketAddress local,
        ChannelPromise promise) {
      asked.add(promise);
    }
  }

  @AfterEach
  void close() {
    channels.forEach(EmbeddedChannel::close);
  }

  private ChannelFuture connect() {
    EmbeddedChannel channel = new EmbeddedChannel();
    channels.add(channel);
    line.install(channel);
    channel.pipeline().addFirst(new Network());
    return channel.connect(InetSocketAddress.createUnresolved("upstream", 80));
  }

  private List<ChannelFuture> connect(int count) {
    List<ChannelFuture> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(connect());
    }
    return all;
  }

  private void run() {
    channels.forEach(EmbeddedChannel::runPendingTasks);
  }

  @Test
  void asManyAsMayBe_areEstablishedAtOnce() {
    connect(MOST);
    assertThat(asked).hasSize(MOST);
  }

  @Test
  void oneMore_waitsUntilOneIsEstablished() {
    connect(MOST + 1);
    assertThat(asked).hasSize(MOST);
    asked.get(1).setSuccess();
    run();
    assertThat(asked).hasSize(MOST + 1);
  }

  @Test
  void thoseThatWait_goInTheirOrder() {
    List<ChannelFuture> all = connect(MOST + 2);
    asked.get(0).setSuccess();
    run();
    assertThat(asked.getLast()).isSameAs(all.get(MOST));
    asked.get(1).setSuccess();
    run();
    assertThat(asked.getLast()).isSameAs(all.get(MOST + 1));
  }

  @Test
  void established_holdNoPlace() {
    connect(MOST);
    asked.forEach(ChannelPromise::setSuccess);
    connect(MOST);
    assertThat(asked).hasSize(2 * MOST);
    connect();
    assertThat(asked).hasSize(2 * MOST);
  }

  @Test
  void failureWhileOthersGetThrough_isItsOwn() {
    List<ChannelFuture> all = connect(MOST + 2);
    asked.get(0).setSuccess();
    asked.get(1).setFailure(new ConnectException("late"));
    run();
    assertThat(asked).hasSize(MOST + 2);
    assertThat(all.get(MOST + 1).isDone()).isFalse();
  }

  @Test
  void failureWhereNobodyGetsThrough_isThatOfAllThatWait() {
    List<ChannelFuture> all = connect(MOST + 2);
    ConnectException late = new ConnectException("late");
    asked.get(0).setFailure(late);
    run();
    assertThat(asked).hasSize(MOST);
    assertThat(all.get(MOST).cause()).isSameAs(late);
    assertThat(all.get(MOST + 1).cause()).isSameAs(late);
    connect(2);
    assertThat(asked).hasSize(MOST + 1);
  }

  @Test
  void givenUpOnThisSide_isNoSignForOthers() {
    List<ChannelFuture> all = connect(MOST + 1);
    asked.get(0).setFailure(new ClosedChannelException());
    run();
    assertThat(asked).hasSize(MOST + 1);
    assertThat(all.get(MOST).isDone()).isFalse();
  }

  @Test
  void closedWhileItWaits_isPassedOver() {
    List<ChannelFuture> all = connect(MOST + 2);
    channels.get(MOST).close();
    asked.get(0).setSuccess();
    run();
    run();
    assertThat(all.get(MOST).cause()).isInstanceOf(ClosedChannelException.class);
    assertThat(asked.getLast()).isSameAs(all.get(MOST + 1));
  }
}
