package io.penstock.quota;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What models may be asked, under the names clients have for them: by the profiles that are loaded,
 * by what is configured, by what an operator said last. Safe from any thread.
 */
@SuppressWarnings("UnusedVariable")
public final class ModelQuotas {
  private final LimitSource limits;
  private final long windowNanos;
  private volatile Map<String, ModelLimits> configured = Map.of();
  private volatile List<String> profiles = List.of();

  /**
   * Makes quotas of which nothing is configured.
   *
   * @param limits where limits come from
   * @param windowNanos the window of the per-minute limits: 60 s, shorter in tests
   */
  public ModelQuotas(LimitSource limits, long windowNanos) {
    this.limits = limits;
    this.windowNanos = windowNanos;
  }

  /**
   * Takes over what route files say; spend stays.
   *
   * @param providers names of profiles that are loaded
   * @param explicit by model, wins over profiles
   */
  public void configure(Collection<String> providers, Map<String, ModelLimits> explicit, long now) {
    profiles = List.copyOf(providers);
    configured = Map.copyOf(explicit);
  }

  /** Returns what requests for {@code model} face, or null when nothing limits them. */
  public @Nullable Quota of(@Nullable String model, long now) {
    return null;
  }
}
