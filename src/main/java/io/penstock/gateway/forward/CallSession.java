package io.penstock.gateway.forward;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.timeout.ReadTimeoutException;
import io.netty.util.concurrent.ScheduledFuture;
import io.penstock.gateway.request.ClientGone;
import io.penstock.gateway.request.RequestContext;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.RefusalBody;
import io.penstock.provider.RefusedCall;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;

/**
 * Makes the calls of one WebSocket. One call runs at a time; one more message is read meanwhile,
 * and a further one closes the WebSocket. Belongs to the event loop of the client.
 */
final class CallSession {
  /**
   * Terms of all sessions.
   *
   * @param calls makes a call: passes all steps of a request with an exchange
   * @param idleNanos how long no call may be made before the WebSocket is closed
   */
  record Terms(Function<ServerWebExchange, Mono<Void>> calls, long idleNanos, Ticker ticker) {}

  /** Time between pings, which keep proxies from taking the connections for dead. */
  static final long PING_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.http");

  /** The running call, and one more message. */
  private static final int MOST_CALLS = 2;

  /** The bytes of a message from the upstream in which its type is looked for. */
  private static final int BEGINNING_BYTES = 64 << 10;

  private static final String BROKEN_OFF = "the upstream's answer broke off";
  private static final String IDLE = "nothing was sent for too long";

  private static final Refusal CLOSED =
      Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "the upstream closed the WebSocket");

  private final Terms terms;
  private final ServerWebExchange upgrade;
  private final UpstreamSpec upstream;
  private final BooleanSupplier admitted;
  private final Channel client;
  private final Channel server;
  private final EventLoop loop;
  private final Deque<MessageCall> calls = new ArrayDeque<>();
  private final ByteArrayOutputStream beginning = new ByteArrayOutputStream();
  private final Sinks.Empty<Void> emptied = Sinks.empty();
  private final ScheduledFuture<?> pings;
  private @Nullable ScheduledFuture<?> watch;
  private @Nullable Frames fromClient;
  private @Nullable Frames fromUpstream;
  private @Nullable MessageBody reading;
  private boolean within;
  private boolean revoked;
  private boolean broken;

  /** Whether the gateway has ended it, and not one of the sides. */
  private boolean failed;

  private boolean over;
  private boolean answering;
  private boolean clientPending;
  private boolean upstreamPending;
  private long lastNanos;

  /**
   * Creates a session between two open WebSockets.
   *
   * @param admitted returns whether the client's key is still known
   */
  CallSession(
      Terms terms,
      ServerWebExchange upgrade,
      UpstreamSpec upstream,
      BooleanSupplier admitted,
      Channel client,
      Channel server) {
    this.terms = terms;
    this.upgrade = upgrade;
    this.upstream = upstream;
    this.admitted = admitted;
    this.client = client;
    this.server = server;
    this.loop = RequestContext.of(upgrade).loop().eventLoop();
    this.lastNanos = now();
    this.pings = loop.scheduleAtFixedRate(this::ping, PING_NANOS, PING_NANOS, TimeUnit.NANOSECONDS);
    watch(terms.idleNanos());
  }

  /** Completes when the client sends no more. */
  Mono<Void> readClient(Flux<WebSocketFrame> frames) {
    return Mono.<Void>create(
        sink -> {
          Frames each = new Frames(sink, this::fromClient);
          fromClient = each;
          frames.subscribe(each);
          pullClient();
        });
  }

  /** Completes when the upstream sends no more, and all calls have been told. */
  Mono<Void> readUpstream(Flux<WebSocketFrame> frames) {
    return Mono.<Void>create(
            sink -> {
              Frames each = new Frames(sink, this::fromUpstream);
              fromUpstream = each;
              frames.subscribe(each);
              pull();
            })
        .onErrorComplete()
        .then(Mono.defer(this::brokenOff));
  }

  /** Ends everything that the session has begun. */
  void ends() {
    over = true;
    pings.cancel(false);
    unwatch();
    calls.forEach(MessageCall::giveUp);
    calls.clear();
    reading = null;
    if (fromClient != null) {
      fromClient.cancel();
    }
    if (fromUpstream != null) {
      fromUpstream.cancel();
    }
  }

  private void ping() {
    ping(client);
    ping(server);
    revoked |= !admitted.getAsBoolean();
    closeIfRevoked();
  }

  @SuppressWarnings("FutureReturnValueIgnored") // a lost connection is noticed by its reader
  private static void ping(Channel channel) {
    if (channel.isActive()) {
      channel.writeAndFlush(new PingWebSocketFrame());
    }
  }

  private void closeIfRevoked() {
    if (revoked && calls.isEmpty()) {
      close(WebSocketCloseStatus.POLICY_VIOLATION, "the key is not valid any more");
    }
  }

  /**
   * Closes a side with the status with which the other was closed; one that was cut off has none.
   * The frame is written beside the connection's own stream, whose end could release it too early.
   */
  @SuppressWarnings("FutureReturnValueIgnored") // the connection is closed in any case
  private static void pass(WebSocketCloseStatus status, Channel to) {
    if (status.equals(WebSocketCloseStatus.EMPTY)) {
      to.writeAndFlush(new CloseWebSocketFrame()).addListener(ChannelFutureListener.CLOSE);
    } else if (WebSocketCloseStatus.isValidStatusCode(status.code())) {
      close(to, status, status.reasonText());
    } else {
      to.close();
    }
  }

  /** Closes the upstream's side as the client's was closed. */
  void passToUpstream(WebSocketCloseStatus status) {
    boolean gone = status.equals(WebSocketCloseStatus.ABNORMAL_CLOSURE);
    pass(gone ? WebSocketCloseStatus.ENDPOINT_UNAVAILABLE : status, server);
  }

  /** Closes the client's side as the upstream's was closed. */
  void passToClient(WebSocketCloseStatus status) {
    pass(status, client);
  }

  /** Closes both sides. */
  private void close(WebSocketCloseStatus status, String reason) {
    close(client, status, reason);
    close(server, status, reason);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the connection is closed in any case
  private static void close(Channel channel, WebSocketCloseStatus status, String reason) {
    if (channel.isActive()) {
      channel
          .writeAndFlush(new CloseWebSocketFrame(status, reason))
          .addListener(ChannelFutureListener.CLOSE);
    }
  }

  private void fromClient(WebSocketFrame frame) {
    clientPending = false;
    lastNanos = now();
    MessageBody body = reading;
    if (body != null) {
      if (frame.isFinalFragment()) {
        reading = null;
      }
      body.comes(frame);
      pullClient();
    } else if (frame instanceof TextWebSocketFrame || frame instanceof BinaryWebSocketFrame) {
      begins(frame);
    } else {
      frame.release();
      pullClient();
    }
  }

  private void begins(WebSocketFrame frame) {
    if (over || broken || revoked) {
      frame.release();
      return;
    }
    byte[] other = other(frame);
    if (other != null) {
      frame.release();
      MessageCall sent = calls.peek();
      // a message must not come between the frames of another
      var _ =
          (sent == null ? Mono.<Void>empty() : sent.written())
              .then(
                  Mono.defer(
                      () -> toUpstream(new TextWebSocketFrame(Unpooled.wrappedBuffer(other)))))
              .subscribe(null, this::fails);
      pullClient();
      return;
    }
    if (calls.size() >= MOST_CALLS) {
      frame.release();
      close(WebSocketCloseStatus.POLICY_VIOLATION, "a message waits already");
      return;
    }
    MessageBody body = new MessageBody(frame, factory(), this::nextFrame);
    reading = body.whole() ? null : body;
    MessageCall call = new MessageCall(this, body);
    calls.add(call);
    unwatch();
    call.start(upgrade);
    pullClient();
  }

  /** Returns a message that is no call; null if it may be one. */
  private static byte @Nullable [] other(WebSocketFrame frame) {
    int bytes = frame.content().readableBytes();
    if (!frame.isFinalFragment() || bytes > BEGINNING_BYTES) {
      return null;
    }
    byte[] message = new byte[bytes];
    frame.content().getBytes(frame.content().readerIndex(), message);
    return MessageType.isOther(message) ? message : null;
  }

  /** Asks for the next frame of the message that is being read. */
  private void nextFrame() {
    if (reading != null) {
      requestClient();
    }
  }

  /** Asks for the first frame of the next message, unless one is being read. */
  private void pullClient() {
    if (reading == null) {
      requestClient();
    }
  }

  private void requestClient() {
    Frames frames = fromClient;
    if (!clientPending && frames != null && !over) {
      clientPending = true;
      frames.request(1);
    }
  }

  private void fromUpstream(WebSocketFrame frame) {
    upstreamPending = false;
    lastNanos = now();
    if (answering) {
      unwatch(); // a client that is slow is not the upstream's fault
    }
    boolean first = !within;
    within = !frame.isFinalFragment();
    int room = BEGINNING_BYTES - beginning.size();
    int bytes = Math.min(room, frame.content().readableBytes());
    if (bytes > 0) {
      byte[] copied = new byte[bytes];
      frame.content().getBytes(frame.content().readerIndex(), copied);
      beginning.writeBytes(copied);
    }
    byte[] known = within ? null : beginning.toByteArray();
    if (!within) {
      beginning.reset();
    }
    MessageCall call = calls.peek();
    if (call != null && call.listens()) {
      call.comes(frame, first, known);
      pull();
    } else {
      // it belongs to no call
      var _ = toClient(frame).subscribe(null, this::fails, this::pull);
    }
  }

  /** Asks the upstream for its next frame, if anybody wants it. */
  void pull() {
    Frames frames = fromUpstream;
    MessageCall call = calls.peek();
    boolean wanted = call == null || !answering || call.wantsMore();
    if (!wanted || frames == null || over) {
      return;
    }
    watchAnswer(); // also for a frame that was asked for before the answer was
    if (!upstreamPending) {
      upstreamPending = true;
      frames.request(1);
    }
  }

  /** Closes the WebSocket when the upstream sends nothing of an answer for too long. */
  private void watchAnswer() {
    if (answering && watch == null) {
      UpstreamSpec.Timeouts timeouts = upstream.link().timeouts();
      long nanos = begun() ? timeouts.stallNanos() : timeouts.firstByteNanos();
      watch = loop.schedule(this::late, nanos, TimeUnit.NANOSECONDS);
    }
  }

  private boolean begun() {
    MessageCall call = calls.peek();
    return call != null && call.begun();
  }

  private void late() {
    watch = null;
    fails(ReadTimeoutException.INSTANCE);
  }

  /** Ends the session because one side cannot go on. */
  private void fails(Throwable error) {
    MessageCall call = calls.peek();
    broken = true;
    failed = true;
    if (call != null && call.listens()) {
      call.fails(error);
    }
    close(server, WebSocketCloseStatus.INTERNAL_SERVER_ERROR, "");
  }

  /** Tells all calls that the upstream is gone; completes when they have ended. */
  private Mono<Void> brokenOff() {
    broken = true;
    unwatch();
    MessageCall running = calls.peek();
    boolean runs = running != null && running.listens();
    if (runs) {
      running.fails(new IOException("the upstream closed the WebSocket"));
    }
    Mono<Void> told = Mono.empty();
    for (MessageCall each : new ArrayList<>(calls)) {
      if (!(runs && each.equals(running))) {
        calls.remove(each);
        each.giveUp();
        told = told.then(toClient(closedEvent()));
      }
    }
    Mono<Void> rest = calls.isEmpty() ? Mono.empty() : emptied.asMono();
    return rest.then(told);
  }

  private Mono<Void> toClient(byte[] event) {
    return Mono.defer(() -> toClient(new TextWebSocketFrame(Unpooled.wrappedBuffer(event))));
  }

  private byte[] closedEvent() {
    RequestContext requestContext = RequestContext.of(upgrade);
    RefusalBody body =
        requestContext.protocol().refusalBody(CLOSED, RefusedCall.of(requestContext.requestId()));
    return MessageResponse.error(body.status(), body.bytes(), new HttpHeaders());
  }

  /** Returns how a call is made. */
  Function<ServerWebExchange, Mono<Void>> calls() {
    return terms.calls();
  }

  String upstream() {
    return upstream.id();
  }

  NettyDataBufferFactory factory() {
    return (NettyDataBufferFactory) upgrade.getResponse().bufferFactory();
  }

  long now() {
    return terms.ticker().nanos();
  }

  /** Returns whether no call is before one. */
  boolean isFirst(MessageCall call) {
    return call.equals(calls.peek());
  }

  /** Notes that a call is sent; returns false when the upstream is gone. */
  boolean begins(MessageCall call) {
    answering = !broken && !over;
    return answering;
  }

  /** Notes that the answer to a call was one event, which is handled. */
  void answered(MessageCall call) {
    answering = false;
    unwatch();
  }

  /** Notes that nobody wants the rest of an answer, so that nothing after it can be told apart. */
  void leftMidway(MessageCall call) {
    if (!over && !broken) {
      fails(new ClientGone());
    }
  }

  /** Notes that a call was refused. */
  void refused(int status) {
    revoked |= status == HttpStatus.UNAUTHORIZED.value() && !admitted.getAsBoolean();
  }

  /** Handles the end of a call. */
  void callEnds(MessageCall call) {
    calls.remove(call);
    answering = false;
    unwatch();
    if (calls.isEmpty()) {
      if (broken) {
        emptied.tryEmitEmpty();
        if (failed) {
          close(client, WebSocketCloseStatus.INTERNAL_SERVER_ERROR, BROKEN_OFF);
        }
      } else {
        lastNanos = now();
        watch(terms.idleNanos());
      }
    } else if (!broken) {
      calls.element().goOn();
    }
    closeIfRevoked();
    pull();
  }

  /** Handles a call that ended with an error of the gateway. */
  void callFails(MessageCall call, Throwable error) {
    LOG.error("a message of a WebSocket could not be handled", error);
    callEnds(call);
    close(WebSocketCloseStatus.INTERNAL_SERVER_ERROR, "");
  }

  private void watch(long nanos) {
    unwatch();
    watch = loop.schedule(this::checkIdle, nanos, TimeUnit.NANOSECONDS);
  }

  private void unwatch() {
    if (watch != null) {
      watch.cancel(false);
      watch = null;
    }
  }

  private void checkIdle() {
    watch = null;
    long left = lastNanos + terms.idleNanos() - now();
    if (left > 0) {
      watch(left);
    } else {
      close(WebSocketCloseStatus.ENDPOINT_UNAVAILABLE, IDLE);
    }
  }

  /** Writes a frame to the client; completes when its connection has taken it. */
  Mono<Void> toClient(WebSocketFrame frame) {
    return written(client, frame);
  }

  /** Writes a frame to the upstream; completes when its connection has taken it. */
  Mono<Void> toUpstream(WebSocketFrame frame) {
    return written(server, frame);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the listener tells the result
  private Mono<Void> written(Channel channel, WebSocketFrame frame) {
    return Mono.create(
        sink ->
            channel
                .writeAndFlush(frame)
                .addListener(
                    done ->
                        loop.execute(
                            () -> {
                              if (done.isSuccess()) {
                                sink.success();
                              } else {
                                sink.error(new IOException("a WebSocket is gone"));
                              }
                            })));
  }

  /** Takes the frames of one side as they are asked for. */
  private static final class Frames extends BaseSubscriber<WebSocketFrame> {
    private final MonoSink<Void> end;
    private final java.util.function.Consumer<WebSocketFrame> receiver;

    Frames(MonoSink<Void> end, java.util.function.Consumer<WebSocketFrame> receiver) {
      this.end = end;
      this.receiver = receiver;
      end.onCancel(this::cancel);
    }

    @Override
    protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {}

    @Override
    protected void hookOnNext(WebSocketFrame frame) {
      receiver.accept(frame);
    }

    @Override
    protected void hookOnComplete() {
      end.success();
    }

    @Override
    protected void hookOnError(Throwable error) {
      end.success();
    }
  }
}
