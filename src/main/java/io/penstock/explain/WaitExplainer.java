package io.penstock.explain;

import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketRoute;
import io.penstock.dispatch.WarmupGroup;
import io.penstock.explain.BindingLimit.Cause;
import io.penstock.explain.WaitExplanation.Considered;
import io.penstock.explain.WaitExplanation.Owner;
import io.penstock.limit.LimitSharing;
import io.penstock.limit.ShareNews;
import io.penstock.pool.Upstream;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.LimitStatus;
import io.penstock.quota.Quota;
import io.penstock.sharing.LimitId.Kind;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what keeps one ticket from going. It takes and changes nothing, so that it may be used
 * at any time, from any thread.
 */
public final class WaitExplainer {
  private static final String GROUP = "group ";

  private final ParkedTicket parkedTicket;
  private final long now;
  private final List<Considered> limits = new ArrayList<>();

  /**
   * The answers of quotas, kept because several routes share quotas; empty for one that does not
   * block the ticket.
   */
  private final Map<Quota, Optional<BindingLimit>> answers = new HashMap<>();

  private WaitExplainer(ParkedTicket parkedTicket, long now) {
    this.parkedTicket = parkedTicket;
    this.now = now;
  }

  /** Returns why a ticket can take none of some routes. */
  static WaitExplanation of(ParkedTicket parkedTicket, List<TicketRoute> routes, long now) {
    WaitExplainer explainer = new WaitExplainer(parkedTicket, now);
    explainer.addCharged();
    BindingLimit bindingLimit = explainer.binding(routes);
    return new WaitExplanation(explainer.limits, bindingLimit);
  }

  /** Returns why a ticket was denied at arrival, by the quotas that are charged then. */
  public static WaitExplanation denied(ParkedTicket parkedTicket, long now) {
    WaitExplainer explainer = new WaitExplainer(parkedTicket, now);
    CallerAccount callerAccount = parkedTicket.account();
    List<Quota> quotas =
        callerAccount == null ? List.of() : callerAccount.quotas(parkedTicket.model(), now);
    BindingLimit longest = null;
    for (Quota quota : quotas) {
      Owner owner = explainer.owner(quota, null);
      longest = later(longest, explainer.check(quota, owner, true));
      longest = later(longest, explainer.claim(quota, owner));
    }
    return new WaitExplanation(explainer.limits, longest);
  }

  /** Returns only what keeps a ticket from going. */
  static @Nullable BindingLimit binding(
      ParkedTicket parkedTicket, List<TicketRoute> routes, long now) {
    return new WaitExplainer(parkedTicket, now).binding(routes);
  }

  /** Adds the limits that were charged for the ticket already. */
  private void addCharged() {
    CallerAccount callerAccount = parkedTicket.account();
    if (callerAccount == null || parkedTicket.takenCharges() == null) {
      return;
    }
    for (Quota quota : callerAccount.quotas(parkedTicket.model(), now)) {
      for (LimitStatus limitStatus : quota.statuses(parkedTicket, true, now)) {
        add(owner(quota, null), limitStatus, true);
      }
    }
  }

  /**
   * Returns what keeps a ticket from going on the route that opens first: it waits for that one.
   */
  private @Nullable BindingLimit binding(List<TicketRoute> routes) {
    BindingLimit soonest = null;
    for (TicketRoute route : routes) {
      BindingLimit longest = null;
      for (Quota quota : route.quotas()) {
        longest = later(longest, of(quota, route));
      }
      BindingLimit bindingLimit =
          longest == null ? BindingLimit.of(Cause.OTHERS_FIRST, Ticker.NEVER) : longest;
      if (soonest == null || bindingLimit.untilNanos() < soonest.untilNanos()) {
        soonest = bindingLimit;
      }
      if (limits.size() >= WaitExplanation.MOST_LIMITS) {
        break;
      }
    }
    return soonest;
  }

  private static @Nullable BindingLimit later(
      @Nullable BindingLimit one, @Nullable BindingLimit other) {
    return one == null || (other != null && other.untilNanos() > one.untilNanos()) ? other : one;
  }

  private @Nullable BindingLimit of(Quota quota, TicketRoute route) {
    Optional<BindingLimit> known = answers.get(quota);
    if (known == null) {
      Owner owner = owner(quota, route);
      known =
          Optional.ofNullable(
              later(
                  later(gate(quota, route, owner), check(quota, owner, false)),
                  claim(quota, owner)));
      answers.put(quota, known);
    }
    return known.orElse(null);
  }

  private @Nullable BindingLimit gate(Quota quota, TicketRoute route, Owner owner) {
    long opens = quota.gatesOpenAt(now);
    WarmupGroup warmup = parkedTicket.laneKey().warmup();
    if (opens > now && warmup != null && quota.equals(warmup.quota())) {
      return new BindingLimit(Cause.CACHE_WARMUP, Kind.ENDPOINT, parkedTicket.path(), null, opens);
    }
    Upstream upstream = route.upstream();
    if (opens <= now || upstream == null) {
      return null;
    }
    if (upstream.paused()) {
      return new BindingLimit(
          Cause.UPSTREAM_TAKEN_OUT, owner.kind(), owner.name(), null, Ticker.NEVER);
    }
    boolean unwell = upstream.health().opens(now) >= opens;
    return unwell
        ? new BindingLimit(
            Cause.UPSTREAM_UNHEALTHY, owner.kind(), owner.name(), null, upstream.triedAt(now))
        : new BindingLimit(Cause.UPSTREAM_PAUSED, owner.kind(), owner.name(), null, opens);
  }

  private @Nullable BindingLimit claim(Quota quota, Owner owner) {
    boolean forPace =
        quota.waitList().claimant() instanceof ParkedTicket claimant && claimant.claimsForPace();
    return !forPace && quota.waitList().isClaimedForOther(parkedTicket)
        ? new BindingLimit(Cause.KEPT_FOR_ANOTHER, owner.kind(), owner.name(), null, Ticker.NEVER)
        : null;
  }

  /**
   * Adds the limits of a quota; returns the one that would block the ticket for longest, or null.
   */
  private @Nullable BindingLimit check(Quota quota, Owner owner, boolean whole) {
    BindingLimit longest = null;
    for (LimitStatus limitStatus : quota.statuses(parkedTicket, whole, now)) {
      add(owner, limitStatus, false);
      if (limitStatus.untilNanos() > now) {
        Cause cause = cause(limitStatus);
        longest =
            later(
                longest,
                new BindingLimit(
                    cause,
                    owner.kind(),
                    owner.name(),
                    limitStatus.metered().measure(),
                    limitStatus.untilNanos()));
      }
    }
    return longest;
  }

  private Cause cause(LimitStatus limitStatus) {
    LimitSharing sharing = limitStatus.metered().limit().sharing();
    if (sharing.refusal() != null || sharing.isUnavailable(1, now)) {
      return Cause.LIMIT_UNAVAILABLE;
    }
    if (limitStatus.awaitingShare()) {
      return ofShare(sharing.contact());
    }
    return limitStatus.onlyPaced() ? Cause.PACE : Cause.LIMIT;
  }

  private static Cause ofShare(ShareNews.@Nullable Contact contact) {
    return switch (contact) {
      case LISTING -> Cause.LISTING;
      case SETTLING -> Cause.SETTLING;
      case null, default -> Cause.SHARE;
    };
  }

  private void add(Owner owner, LimitStatus limitStatus, boolean alreadyCharged) {
    if (limits.size() < WaitExplanation.MOST_LIMITS) {
      limits.add(Considered.of(owner, limitStatus, alreadyCharged, now));
    }
  }

  /**
   * Returns the owner of a quota, by its place on a route; the route is null for quotas charged at
   * arrival.
   */
  private Owner owner(Quota quota, @Nullable TicketRoute route) {
    CallerAccount callerAccount = parkedTicket.account();
    Upstream upstream = route == null ? null : route.upstream();
    boolean holds =
        parkedTicket.laneKey().holds().stream().anyMatch(each -> each.quota().equals(quota));
    if (route != null && upstream != null && (quota.equals(route.pool()) || holds)) {
      String model = route.model();
      String pool =
          model == null ? null : upstream.spec().budget().poolOf(upstream.spec().ownName(model));
      return new Owner(Kind.UPSTREAM, upstream.spec().id(), pool);
    }
    if (route != null && quota.equals(route.ofModel())) {
      return new Owner(Kind.MODEL, quota.name(), null);
    }
    if (quota.ofKey()) {
      String name = callerAccount == null ? quota.name() : callerAccount.name();
      String ofModel = "key " + name + " for ";
      String pool =
          quota.name().startsWith(ofModel) ? quota.name().substring(ofModel.length()) : null;
      return new Owner(Kind.KEY, name, pool);
    }
    return quota.name().startsWith(GROUP)
        ? new Owner(Kind.GROUP, quota.name().substring(GROUP.length()), null)
        : new Owner(Kind.ENDPOINT, parkedTicket.path(), null);
  }
}
