package io.penstock.gateway;

import io.netty.channel.EventLoop;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Work for a request that is not done on its event loop. */
final class Elsewhere {
  private Elsewhere() {}

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
