package io.penstock.gateway;

import io.netty.channel.EventLoop;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Work for a request that is not done on its event loop, or not now. */
final class Elsewhere {
  private Elsewhere() {}

  /** Returns what runs a task on an event loop, after it has looked after its connections. */
  static Executor nextTurn(EventLoop loop) {
    // a task that is handed over plainly runs before them
    return task -> {
      var _ = loop.schedule(task, 0, TimeUnit.NANOSECONDS);
    };
  }

  /**
   * Returns what comes of {@code work}, back on the event loop.
   *
   * @param gone run when the client goes away meanwhile; then nothing comes of it
   */
  static <T> Mono<T> done(Mono<T> work, EventLoop loop, Runnable gone) {
    return Mono.create(
        sink -> {
          Disposable running =
              work.subscribe(
                  result -> loop.execute(() -> sink.success(result)),
                  error -> loop.execute(() -> sink.error(error)));
          sink.onCancel(
              () -> {
                running.dispose();
                gone.run();
              });
        });
  }
}
