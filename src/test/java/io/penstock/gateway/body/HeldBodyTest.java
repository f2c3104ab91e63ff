package io.penstock.gateway.body;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.penstock.json.BodyEdit;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import reactor.core.Disposable;

/**
 * Tests that a large body is copied and sent in steps, between which its event loop serves others.
 */
class HeldBodyTest {
  private static final int PIECE = 64 << 10;
  private static final int PIECES = 80;
  private static final int TURNS = PIECES * PIECE / HeldBody.STEP_BYTES;

  private final NettyDataBufferFactory factory =
      new NettyDataBufferFactory(UnpooledByteBufAllocator.DEFAULT);
  private final List<ByteBuf> pieces = new ArrayList<>();
  private final Deque<Runnable> later = new ArrayDeque<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final BodyBudget budget = new BodyBudget(100 << 20, 1);
  private final HeldBody body = new HeldBody(budget.claim("anyone"));
  private boolean complete;

  private HeldBodyTest() {
    for (int i = 0; i < PIECES; i++) {
      byte[] bytes = new byte[PIECE];
      Arrays.fill(bytes, (byte) ('a' + i % 26));
      ByteBuf piece = Unpooled.buffer(PIECE).writeBytes(bytes);
      pieces.add(piece);
      body.add(factory.wrap(piece), read -> {});
    }
  }

  private byte[] whole() {
    byte[] whole = new byte[PIECES * PIECE];
    for (int i = 0; i < PIECES; i++) {
      Arrays.fill(whole, i * PIECE, (i + 1) * PIECE, (byte) ('a' + i % 26));
    }
    return whole;
  }

  private Disposable publish(List<BodyEdit> edits) {
    return body.publish(factory, edits, later::add)
        .subscribe(this::take, error -> {}, () -> complete = true);
  }

  private void take(DataBuffer buffer) {
    byte[] bytes = new byte[buffer.readableByteCount()];
    buffer.read(bytes);
    DataBufferUtils.release(buffer);
    out.writeBytes(bytes);
  }

  private boolean turn() {
    Runnable task = later.poll();
    if (task != null) {
      task.run();
    }
    return task != null;
  }

  private int turns() {
    int turns = 0;
    while (turn()) {
      turns++;
    }
    return turns;
  }

  private int held() {
    return (int) pieces.stream().filter(piece -> piece.refCnt() > 0).count();
  }

  @Test
  void largeBody_isSentInSteps() {
    publish(List.of());
    assertThat(out.size()).isEqualTo(HeldBody.STEP_BYTES);
    int before = out.size();
    while (turn()) {
      assertThat(out.size() - before).isLessThanOrEqualTo(HeldBody.STEP_BYTES);
      before = out.size();
    }
    assertThat(complete).isTrue();
    assertThat(out.toByteArray()).isEqualTo(whole());
    body.free();
    assertThat(held()).isZero();
  }

  @Test
  void largeBody_isCopiedInSteps() {
    body.park(later::add);
    int held = held();
    assertThat(held).isEqualTo(PIECES - HeldBody.STEP_BYTES / PIECE);
    while (turn()) {
      assertThat(held - held()).isEqualTo(HeldBody.STEP_BYTES / PIECE);
      held = held();
    }
    assertThat(held).isZero();
    publish(List.of());
    turns();
    assertThat(out.toByteArray()).isEqualTo(whole());
  }

  @Test
  void changedBody_isCopiedAndSentInSteps() {
    publish(List.of(new BodyEdit(1, 2, "XYZ")));
    assertThat(out.size()).isZero();
    assertThat(held()).isEqualTo(PIECES - HeldBody.STEP_BYTES / PIECE);
    assertThat(turns()).isBetween(2 * TURNS - 2, 2 * TURNS + 2);
    assertThat(complete).isTrue();
    assertThat(out.toByteArray()).startsWith('a', 'X', 'Y', 'Z', 'a').hasSize(PIECES * PIECE + 1);
    assertThat(held()).isZero();
  }

  @Test
  void bodyFreedWhileItIsSent_isSentToItsEnd_andThenGone() {
    publish(List.of());
    body.free();
    turns();
    assertThat(out.toByteArray()).isEqualTo(whole());
    assertThat(held()).isZero();
    assertThat(budget.heldBytes()).isZero();
  }

  @Test
  void bodyNoLongerWantedWhileItIsSent_isLetGo() {
    Disposable sending = publish(List.of());
    turn();
    body.free();
    assertThat(held()).isPositive();
    sending.dispose();
    turns();
    assertThat(held()).isZero();
    assertThat(complete).isFalse();
  }

  @Test
  void smallBody_isSentAtOnce() {
    HeldBody small = new HeldBody(budget.claim("anyone"));
    small.add(factory.wrap(new byte[] {1, 2, 3}), read -> {});
    small
        .publish(factory, List.of(), later::add)
        .subscribe(this::take, error -> {}, () -> complete = true);
    assertThat(complete).isTrue();
    assertThat(later).isEmpty();
    assertThat(out.toByteArray()).containsExactly(1, 2, 3);
    small.free();
  }
}
