package io.penstock.operator;

import io.penstock.config.Fault;
import io.penstock.config.Reloader;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Reloads the route files. Only one reload runs at a time; a concurrent request is refused. */
final class ReloadHandler {
  private record Applied(boolean applied, int endpoints, List<String> warnings) {}

  private final Reloader reloader;
  private final AtomicBoolean running = new AtomicBoolean();

  ReloadHandler(Reloader reloader) {
    this.reloader = reloader;
  }

  /** Reloads on a thread that may block on file access, and answers with the result. */
  Mono<ServerResponse> reload() {
    return Mono.fromCallable(this::once)
        .subscribeOn(Schedulers.boundedElastic())
        .flatMap(answer -> answer);
  }

  private Mono<ServerResponse> once() {
    if (!running.compareAndSet(false, true)) {
      return Problem.of(HttpStatus.CONFLICT, "a reload is under way already").answer();
    }
    try {
      return switch (reloader.reload()) {
        case Reloader.Result.Applied(int endpoints, List<String> warnings) ->
            Json.answer(new Applied(true, endpoints, warnings));
        case Reloader.Result.Refused(List<Fault> faults) ->
            Problem.of(
                    HttpStatus.UNPROCESSABLE_CONTENT,
                    "the routes have faults; the running configuration was kept",
                    faults)
                .answer();
      };
    } finally {
      running.set(false);
    }
  }
}
