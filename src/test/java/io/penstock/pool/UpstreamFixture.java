package io.penstock.pool;

import io.penstock.sharing.KnownPeerCounts;
import io.penstock.sharing.LimitSource;
import io.penstock.time.WallClock;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sets of upstreams, and histories of attempts at them. */
public final class UpstreamFixture {
  private UpstreamFixture() {}

  /** Returns an empty set of upstreams that no other instance uses. */
  public static UpstreamRegistry registry(LimitSource source, long windowNanos) {
    return new UpstreamRegistry(
        source,
        windowNanos,
        UpstreamRegistry.UNLIMITED_TPM,
        WallClock.system(),
        KnownPeerCounts.NONE);
  }

  /** Returns the history of a request without a key that is sent with an unchanged body. */
  public static AttemptHistory attempt(@Nullable String model, int rejected, int broken) {
    return attempt(model, rejected, broken, AttemptAdditions.NONE);
  }

  public static AttemptHistory attempt(
      @Nullable String model, int rejected, int broken, AttemptAdditions additions) {
    return new AttemptHistory(
        model, rejected, broken, true, additions, "nobody", false, false, false);
  }

  /** Returns the history of a request that was sent without an addition that was refused. */
  public static AttemptHistory without(@Nullable String model, Addition addition) {
    return attempt(model, 0, 0, new AttemptAdditions(Set.of(), Set.of(addition)));
  }
}
