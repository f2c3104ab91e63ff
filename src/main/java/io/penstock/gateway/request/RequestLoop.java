package io.penstock.gateway.request;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import io.penstock.wire.ConnectionGuard;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.springframework.http.server.reactive.ServerHttpRequest;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * The event loop of the connection on which a request came. It owns the state of the request: its
 * steps run here, and here it is noticed that the client has left. Results of other threads, such
 * as that of an upstream's connection, have to be handed over by one of these methods. Safe from
 * any thread.
 */
public final class RequestLoop {
  /** How many parts of an answer are on their way between two event loops. */
  private static final int PARTS = 16;

  /** The one of each event loop. */
  private static final FastThreadLocal<RequestLoop> OF_THREAD = new FastThreadLocal<>();

  private final EventLoop loop;
  private final Scheduler scheduler;

  public RequestLoop(EventLoop loop) {
    this.loop = loop;
    this.scheduler = Schedulers.fromExecutor(this::run);
  }

  /** Returns the loop of a request that has just come. To be called on that loop. */
  public static RequestLoop of(ServerHttpRequest request) {
    EventLoop loop = ConnectionGuard.channel(request).eventLoop();
    RequestLoop known = OF_THREAD.get();
    if (known == null || !known.loop.equals(loop)) {
      known = new RequestLoop(loop);
      OF_THREAD.set(known);
    }
    return known;
  }

  /** Returns whether the calling thread owns the state of the request. */
  public boolean owns() {
    return loop.inEventLoop();
  }

  public EventLoop eventLoop() {
    return loop;
  }

  /** Returns an executor that runs a task after the loop has served its connections. */
  public Executor nextTurn() {
    // a task given to execute() would run before them
    return task -> {
      var _ = loop.schedule(task, 0, TimeUnit.NANOSECONDS);
    };
  }

  private void run(Runnable task) {
    if (loop.inEventLoop()) {
      task.run();
      return;
    }
    try {
      loop.execute(task);
    } catch (RejectedExecutionException ended) {
      // The loop has ended, so it cannot come in between; what the request holds is given back.
      task.run();
    }
  }

  /**
   * Returns the result of {@code work}, delivered on this loop. Cancelling it cancels the work.
   *
   * @param unwanted takes a result that comes when it was cancelled already
   */
  public <T> Mono<T> handOver(Mono<T> work, Consumer<? super T> unwanted) {
    return Mono.create(sink -> work.subscribe(new Delivery<>(sink, unwanted)));
  }

  /** Returns parts of an answer, delivered on this loop; those that nobody gets are discarded. */
  public <T> Flux<T> handOver(Flux<T> parts) {
    return parts.publishOn(scheduler, PARTS);
  }

  /** Subscribes to {@code work} on this loop. */
  public <T> Mono<T> begin(Mono<T> work) {
    return work.subscribeOn(scheduler);
  }

  /** Delivers one result; the loop alone decides whether it comes before the cancellation. */
  private final class Delivery<T> extends BaseSubscriber<T> {
    private final MonoSink<T> sink;
    private final Consumer<? super T> unwanted;
    private boolean cancelled;

    Delivery(MonoSink<T> sink, Consumer<? super T> unwanted) {
      this.sink = sink;
      this.unwanted = unwanted;
      sink.onCancel(this::leave);
    }

    private void leave() {
      run(() -> cancelled = true);
      cancel();
    }

    @Override
    public Context currentContext() {
      return Context.of(sink.contextView());
    }

    @Override
    protected void hookOnNext(T result) {
      run(
          () -> {
            if (cancelled) {
              unwanted.accept(result);
            } else {
              sink.success(result);
            }
          });
    }

    @Override
    protected void hookOnComplete() {
      run(() -> end(sink::success));
    }

    @Override
    protected void hookOnError(Throwable error) {
      run(() -> end(() -> sink.error(error)));
    }

    private void end(Runnable signal) {
      if (!cancelled) {
        signal.run();
      }
    }
  }
}
