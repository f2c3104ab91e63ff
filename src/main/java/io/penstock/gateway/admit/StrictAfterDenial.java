package io.penstock.gateway.admit;

import io.penstock.gateway.request.RequestContext;
import io.penstock.key.ApiCaller;
import io.penstock.key.KeyLimit;
import io.penstock.key.KeyRegistry;
import io.penstock.refusal.Refusal;
import io.penstock.sharing.DenialRecheck;
import io.penstock.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Serves keys with {@code strict_after_denial}: after a denial, the counts of all instances are
 * fetched before the next decision. Safe from any thread.
 */
public final class StrictAfterDenial {
  private static final Duration MOST = Duration.ofNanos(DenialRecheck.MOST_NANOS);

  private final DenialRecheck denials;
  private final KeyRegistry keyRegistry;
  private final Ticker ticker;

  public StrictAfterDenial(DenialRecheck denials, KeyRegistry keyRegistry, Ticker ticker) {
    this.denials = denials;
    this.keyRegistry = keyRegistry;
    this.ticker = ticker;
  }

  private static boolean isStrict(@Nullable ApiCaller apiCaller) {
    return apiCaller != null
        && apiCaller.spec().terms().policy().strictAfterDenial()
        && !apiCaller.account().waits();
  }

  /**
   * Returns a signal that completes on the event loop of the request when a decision may be made,
   * within 300 ms, or null when it may be made now.
   */
  @Nullable Mono<Void> before(RequestContext requestContext) {
    ApiCaller apiCaller = requestContext.caller();
    if (apiCaller == null || !isStrict(apiCaller)) {
      return null;
    }
    List<CompletableFuture<?>> fetches = new ArrayList<>();
    long now = ticker.nanos();
    for (KeyLimit limit : keyRegistry.limits(apiCaller.spec(), requestContext.model())) {
      CompletionStage<Boolean> fetch = denials.refreshBeforeDecision(limit.id(), now);
      if (!fetch.toCompletableFuture().isDone()) {
        fetches.add(fetch.toCompletableFuture());
      }
    }
    return fetches.isEmpty()
        ? null
        : all(fetches, Schedulers.fromExecutorService(requestContext.loop().eventLoop()));
  }

  private static Mono<Void> all(List<CompletableFuture<?>> fetches, Scheduler loop) {
    return Mono.fromFuture(
            () -> CompletableFuture.allOf(fetches.toArray(CompletableFuture[]::new)), true)
        .publishOn(loop)
        .timeout(MOST, Mono.empty(), loop); // then decides by what is known, as without Redis
  }

  /** Records a denial of a key by the limits that caused it. */
  void denied(RequestContext requestContext, Refusal refusal) {
    ApiCaller apiCaller = requestContext.caller();
    if (apiCaller == null || !isStrict(apiCaller)) {
      return;
    }
    for (KeyLimit limit : keyRegistry.limits(apiCaller.spec(), requestContext.model())) {
      if (limit.reason() == refusal.reason()) {
        denials.denied(limit.id(), limit.spec(), ticker.nanos());
      }
    }
  }
}
