package io.penstock.gateway.admit;

import io.penstock.gateway.request.RequestContext;
import io.penstock.key.ApiCaller;
import io.penstock.key.KeyLimit;
import io.penstock.key.KeyRegistry;
import io.penstock.refusal.Refusal;
import io.penstock.shares.FreshCounts;
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
 * Lets requests wait until what other instances have counted of the limits of their keys is known:
 * where nothing was counted here, and, for keys with {@code strict_after_denial}, after a denial.
 * Safe from any thread.
 */
public final class HeardCounts {
  private static final Duration COLD = Duration.ofNanos(FreshCounts.COLD_NANOS);
  private static final Duration DENIED = Duration.ofNanos(FreshCounts.DENIED_NANOS);

  private final FreshCounts counts;
  private final KeyRegistry keyRegistry;
  private final Ticker ticker;

  public HeardCounts(FreshCounts counts, KeyRegistry keyRegistry, Ticker ticker) {
    this.counts = counts;
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
    if (apiCaller == null || !counts.mayWait()) {
      return null;
    }
    long now = ticker.nanos();
    boolean isStrict = isStrict(apiCaller);
    List<CompletableFuture<?>> fetches = new ArrayList<>();
    boolean isDenied = false;
    for (KeyLimit limit : keyRegistry.limits(apiCaller.spec(), requestContext.model())) {
      CompletionStage<Boolean> fetch = counts.before(limit.id(), isStrict, now);
      if (fetch != null && !fetch.toCompletableFuture().isDone()) {
        fetches.add(fetch.toCompletableFuture());
        isDenied |= isStrict && counts.isDenied(limit.id(), now);
      }
    }
    return fetches.isEmpty()
        ? null
        : all(
            fetches,
            isDenied ? DENIED : COLD,
            Schedulers.fromExecutorService(requestContext.loop().eventLoop()));
  }

  private static Mono<Void> all(List<CompletableFuture<?>> fetches, Duration most, Scheduler loop) {
    return Mono.fromFuture(
            () -> CompletableFuture.allOf(fetches.toArray(CompletableFuture[]::new)), true)
        .publishOn(loop)
        .timeout(most, Mono.empty(), loop); // then decides by what is known, as without Redis
  }

  /** Records a denial of a key by the limits that caused it. */
  void denied(RequestContext requestContext, Refusal refusal) {
    ApiCaller apiCaller = requestContext.caller();
    if (apiCaller == null || !isStrict(apiCaller)) {
      return;
    }
    for (KeyLimit limit : keyRegistry.limits(apiCaller.spec(), requestContext.model())) {
      if (limit.reason() == refusal.reason()) {
        counts.denied(limit.id(), limit.spec(), ticker.nanos());
      }
    }
  }
}
