package io.penstock.endpoint;

import io.penstock.endpoint.Binding.What;
import io.penstock.endpoint.Explanation.Considered;
import io.penstock.endpoint.Explanation.Owner;
import io.penstock.limit.LostSpending;
import io.penstock.pool.Upstream;
import io.penstock.quota.Account;
import io.penstock.quota.LimitId.Kind;
import io.penstock.quota.Quota;
import io.penstock.quota.Stance;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what keeps one ticket from going. It takes and changes nothing, so that it may be used
 * at any time, from any thread.
 */
final class Explainer {
  private static final String GROUP = "group ";

  /**
   * The answer of one quota, kept because several routes share quotas; null if it does not block
   * the ticket.
   */
  private record Found(@Nullable Binding binding) {
    static final Found NOTHING = new Found(null);
  }

  private final Pending pending;
  private final long now;
  private final List<Considered> limits = new ArrayList<>();
  private final Map<Quota, Found> found = new HashMap<>();

  private Explainer(Pending pending, long now) {
    this.pending = pending;
    this.now = now;
  }

  /** Returns why a ticket can take none of some routes. */
  static Explanation of(Pending pending, List<Route> ways, long now) {
    Explainer explainer = new Explainer(pending, now);
    explainer.given();
    Binding binding = explainer.binding(ways);
    return new Explanation(explainer.limits, binding);
  }

  /** Returns why a ticket was denied at arrival, by the quotas that are charged then. */
  static Explanation denied(Pending pending, long now) {
    Explainer explainer = new Explainer(pending, now);
    Account account = pending.account();
    List<Quota> quotas = account == null ? List.of() : account.quotas(pending.model(), now);
    Binding longest = null;
    for (Quota quota : quotas) {
      Owner owner = explainer.owner(quota, null);
      longest = later(longest, explainer.look(quota, owner, true));
      longest = later(longest, explainer.kept(quota, owner));
    }
    return new Explanation(explainer.limits, longest);
  }

  /** Returns only what keeps a ticket from going. */
  static @Nullable Binding binding(Pending pending, List<Route> ways, long now) {
    return new Explainer(pending, now).binding(ways);
  }

  /** Adds the limits that were charged for the ticket already. */
  private void given() {
    Account account = pending.account();
    if (account == null || pending.taken() == null) {
      return;
    }
    for (Quota quota : account.quotas(pending.model(), now)) {
      for (Stance stance : quota.stances(pending, true, now)) {
        add(owner(quota, null), stance, true);
      }
    }
  }

  /**
   * Returns what keeps a ticket from going on the route that opens first: it waits for that one.
   */
  private @Nullable Binding binding(List<Route> ways) {
    Binding soonest = null;
    for (Route way : ways) {
      Binding longest = null;
      for (Quota quota : way.quotas()) {
        longest = later(longest, of(quota, way));
      }
      Binding binding = longest == null ? Binding.of(What.OTHERS_FIRST, Ticker.NEVER) : longest;
      if (soonest == null || binding.untilNanos() < soonest.untilNanos()) {
        soonest = binding;
      }
      if (limits.size() >= Explanation.MOST_LIMITS) {
        break;
      }
    }
    return soonest;
  }

  private static @Nullable Binding later(@Nullable Binding one, @Nullable Binding other) {
    return one == null || (other != null && other.untilNanos() > one.untilNanos()) ? other : one;
  }

  private @Nullable Binding of(Quota quota, Route way) {
    Found known = found.get(quota);
    if (known != null) {
      return known.binding();
    }
    Owner owner = owner(quota, way);
    Binding binding =
        later(later(gate(quota, way, owner), look(quota, owner, false)), kept(quota, owner));
    found.put(quota, binding == null ? Found.NOTHING : new Found(binding));
    return binding;
  }

  private @Nullable Binding gate(Quota quota, Route way, Owner owner) {
    long opens = quota.gatesOpen(now);
    Upstream upstream = way.upstream();
    if (opens <= now || upstream == null) {
      return null;
    }
    boolean unwell = upstream.health().opens(now) >= opens;
    What what = unwell ? What.UPSTREAM_UNHEALTHY : What.UPSTREAM_PAUSED;
    return new Binding(what, owner.kind(), owner.name(), null, opens);
  }

  private @Nullable Binding kept(Quota quota, Owner owner) {
    return quota.line().keptFrom(pending)
        ? new Binding(What.KEPT_FOR_ANOTHER, owner.kind(), owner.name(), null, Ticker.NEVER)
        : null;
  }

  /**
   * Adds the limits of a quota; returns the one that would block the ticket for longest, or null.
   */
  private @Nullable Binding look(Quota quota, Owner owner, boolean whole) {
    Binding longest = null;
    for (Stance stance : quota.stances(pending, whole, now)) {
      add(owner, stance, false);
      if (stance.untilNanos() > now) {
        What what = what(stance, now);
        longest =
            later(
                longest,
                new Binding(
                    what,
                    owner.kind(),
                    owner.name(),
                    stance.metered().measure(),
                    stance.untilNanos()));
      }
    }
    return longest;
  }

  private static What what(Stance stance, long now) {
    if (stance.metered().limit().refusal() != null) {
      return What.LIMIT_UNAVAILABLE;
    }
    if (LostSpending.bars(stance.metered().limit(), 1, now)) {
      return What.LIMIT_RECOVERING;
    }
    return stance.dry() ? What.SLICE : What.LIMIT;
  }

  private void add(Owner owner, Stance stance, boolean given) {
    if (limits.size() < Explanation.MOST_LIMITS) {
      limits.add(Considered.of(owner, stance, given, now));
    }
  }

  /**
   * Returns the owner of a quota, by its place on a route; the route is null for quotas charged at
   * arrival.
   */
  private Owner owner(Quota quota, @Nullable Route way) {
    Account account = pending.account();
    if (way != null && quota.equals(way.pool()) && way.upstream() != null) {
      Upstream upstream = way.upstream();
      String model = way.model();
      String pool =
          model == null ? null : upstream.spec().budget().poolOf(upstream.spec().ownName(model));
      return new Owner(Kind.UPSTREAM, upstream.spec().id(), pool);
    }
    if (way != null && quota.equals(way.ofModel())) {
      return new Owner(Kind.MODEL, quota.name(), null);
    }
    if (quota.personal()) {
      String name = account == null ? quota.name() : account.name();
      String ofModel = "key " + name + " for ";
      String pool =
          quota.name().startsWith(ofModel) ? quota.name().substring(ofModel.length()) : null;
      return new Owner(Kind.KEY, name, pool);
    }
    return quota.name().startsWith(GROUP)
        ? new Owner(Kind.GROUP, quota.name().substring(GROUP.length()), null)
        : new Owner(Kind.ENDPOINT, pending.endpoint().path(), null);
  }
}
