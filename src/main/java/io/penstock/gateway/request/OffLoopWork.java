package io.penstock.gateway.request;

import io.netty.channel.EventLoop;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Helpers for work of a request that is done off its event loop, or later on it. */
public final class OffLoopWork {
  private OffLoopWork() {}

  /**
   * Returns an executor that runs a task on an event loop after the loop has served its
   * connections.
   */
  public static Executor nextTurn(EventLoop loop) {
    // a task given to execute() would run before them
    return task -> {
      var _ = loop.schedule(task, 0, TimeUnit.NANOSECONDS);
    };
  }

  /**
   * Returns the result of {@code work}, delivered on the event loop.
   *
   * @param onCancel run when the client goes away meanwhile; then there is no result
   */
  public static <T> Mono<T> done(Mono<T> work, EventLoop loop, Runnable onCancel) {
    return Mono.create(
        sink -> {
          Disposable running =
              work.subscribe(
                  result -> loop.execute(() -> sink.success(result)),
                  error -> loop.execute(() -> sink.error(error)));
          sink.onCancel(
              () -> {
                running.dispose();
                onCancel.run();
              });
        });
  }
}
