package io.penstock.endpoint;

import io.penstock.dispatch.RendezvousHash;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.UpstreamSpec.Limits;
import io.penstock.tenant.SharedState;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Places the prefixes of prompts that no upstream has in its cache: each upstream gets so many as
 * its limits are worth, and equal prefixes go to the same upstream.
 *
 * <p>Source: Mirrokni, Thorup and Zadimoghaddam, "Consistent Hashing with Bounded Loads", 2018. A
 * prefix goes to the next upstream if the one of its hash has its share already. The load of an
 * upstream is its number of recent prefixes, because its use of limits only shows how long
 * conversations are when they are over. Safe from any thread.
 */
final class PrefixPlaces {
  /** Number of recent prefixes that are remembered. */
  static final int MOST = 1_000;

  /** Part of its share of all prefixes that an upstream gets at most. */
  private static final double MOST_LOAD = 1.02;

  private static final List<ToLongFunction<Limits>> CAPACITIES =
      List.of(Limits::itpm, Limits::tpm, Limits::rpm);

  /** The upstreams of recent prefixes, the one that was placed first at the head. */
  @SharedState("places of new prompts")
  private final LinkedHashMap<String, String> places = new LinkedHashMap<>();

  @SharedState("places of new prompts")
  private final Map<String, Integer> loads = new HashMap<>();

  /** Returns the id of the upstream for a prefix; null when there is none to choose from. */
  synchronized @Nullable String place(
      String prefix, @Nullable String model, List<UpstreamSpec> upstreams) {
    String known = places.get(prefix);
    if (known != null && upstreams.stream().anyMatch(each -> each.id().equals(known))) {
      return known;
    }
    forget(prefix);
    String chosen = RendezvousHash.choose(prefix, belowTheirShare(model, upstreams));
    if (chosen != null) {
      places.put(prefix, chosen);
      loads.merge(chosen, 1, Integer::sum);
    }
    if (places.size() > MOST) {
      Iterator<String> first = places.keySet().iterator();
      forget(first.next());
    }
    return chosen;
  }

  private void forget(String prefix) {
    String upstream = places.remove(prefix);
    if (upstream != null) {
      loads.computeIfPresent(upstream, (id, load) -> load == 1 ? null : load - 1);
    }
  }

  private List<UpstreamSpec> belowTheirShare(@Nullable String model, List<UpstreamSpec> upstreams) {
    ToLongFunction<UpstreamSpec> capacity = capacity(model, upstreams);
    double capacities = upstreams.stream().mapToLong(capacity).sum();
    long all = upstreams.stream().mapToLong(this::load).sum() + 1;
    List<UpstreamSpec> below =
        upstreams.stream()
            .filter(
                each -> {
                  double share = (double) capacity.applyAsLong(each) / capacities;
                  return (double) load(each) < MOST_LOAD * share * (double) all;
                })
            .toList();
    return below.isEmpty() ? upstreams : below;
  }

  private int load(UpstreamSpec upstream) {
    return loads.getOrDefault(upstream.id(), 0);
  }

  /** Returns the limit of tokens, or else of requests, that all have; or else the weight. */
  private static ToLongFunction<UpstreamSpec> capacity(
      @Nullable String model, List<UpstreamSpec> upstreams) {
    for (ToLongFunction<Limits> each : CAPACITIES) {
      ToLongFunction<UpstreamSpec> limit = upstream -> each.applyAsLong(limits(upstream, model));
      if (upstreams.stream().allMatch(upstream -> limit.applyAsLong(upstream) > 0)) {
        return limit;
      }
    }
    return UpstreamSpec::weight;
  }

  private static Limits limits(UpstreamSpec upstream, @Nullable String model) {
    UpstreamSpec.Budget budget = upstream.budget();
    return model == null ? budget.limits() : budget.limitsOf(upstream.ownName(model));
  }
}
