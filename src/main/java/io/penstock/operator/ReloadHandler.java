package io.penstock.operator;

import io.penstock.config.ConfigurationFault;
import io.penstock.config.ConfigurationReloader;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Reloads the route files. Only one reload runs at a time; a concurrent request is refused. */
final class ReloadHandler {
  private record Applied(boolean applied, int endpoints, List<String> warnings) {}

  private final ConfigurationReloader reloader;
  private final AtomicBoolean running = new AtomicBoolean();

  ReloadHandler(ConfigurationReloader reloader) {
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
      return ProblemAnswer.answering(HttpStatus.CONFLICT, "a reload is under way already");
    }
    try {
      return switch (reloader.reload()) {
        case ConfigurationReloader.Result.Applied(int endpoints, List<String> warnings) ->
            OperatorJson.answer(new Applied(true, endpoints, warnings));
        case ConfigurationReloader.Result.Refused(List<ConfigurationFault> faults) ->
            ProblemAnswer.of(
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
