package io.penstock.simulator;

import io.penstock.cost.CostDimension;
import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.Upstream;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The routes of tickets at one instance of a simulated fleet, and the quotas on them. */
final class FleetWays {
  /**
   * One route.
   *
   * @param quotas all quotas it takes from
   */
  record Way(List<Quota> quotas) {
    List<MeteredLimit> limits() {
      return quotas.stream().flatMap(each -> each.limits().stream()).toList();
    }
  }

  private final FleetInstance instance;
  private final FleetChoices choices;

  FleetWays(FleetInstance instance, FleetChoices choices) {
    this.instance = instance;
    this.choices = choices;
  }

  /** Returns the quota of an upstream for a model; none if there is no upstream. */
  Way ofUpstream(@Nullable Upstream upstream, @Nullable String model) {
    return new Way(upstream == null ? List.of() : List.of(upstream.pool(model, instance.local())));
  }

  /**
   * Returns the other quotas of a ticket: its endpoint's, those of its key if the key waits, and
   * the model's.
   */
  Way beside(FleetTicket ticket, @Nullable String model) {
    List<Quota> beside = new ArrayList<>();
    beside.add(SimEndpoint.quotaOf(ticket.endpoint));
    if (ticket.key != null && ticket.key.waits()) {
      beside.addAll(instance.account(ticket.key).quotas(model, instance.local()));
    }
    Quota ofModel = instance.models().of(model, instance.local());
    if (ofModel != null) {
      beside.add(ofModel);
    }
    return new Way(beside);
  }

  /** Returns all quotas of a route; for a ticket that came back, only the upstream's. */
  private Way whole(FleetTicket ticket, Upstream upstream, @Nullable String model) {
    List<Quota> whole = new ArrayList<>(ofUpstream(upstream, model).quotas());
    if (ticket.failed == 0) {
      whole.addAll(beside(ticket, model).quotas());
    }
    return new Way(whole);
  }

  /** Returns the routes that a ticket may surely take now. */
  List<Way> of(FleetTicket ticket) {
    List<Way> ways = new ArrayList<>();
    for (String model : models(ticket)) {
      for (Upstream upstream : upstreams(ticket)) {
        long now = instance.local();
        if (upstream.pool(model, now).gatesOpenAt(now) <= now) {
          ways.add(whole(ticket, upstream, model));
        }
      }
    }
    return ways;
  }

  /** Returns its own model, and fallback models once it has waited long enough. */
  private List<@Nullable String> models(FleetTicket ticket) {
    List<@Nullable String> models = new ArrayList<>();
    models.add(ticket.ask.model());
    EndpointSpec.Fallback fallback =
        ticket.ask.model() == null
            ? null
            : ticket.endpoint.spec().forwarding().fallbacks().get(ticket.ask.model());
    long waited = instance.now() - ticket.arrived;
    // its instance's clock may run a little slower
    if (fallback != null && waited > fallback.afterNanos() + FleetWorld.MILLI) {
      models.addAll(fallback.models());
    }
    return models;
  }

  /** Returns the upstreams that it neither avoids nor is kept from by its conversation. */
  private List<Upstream> upstreams(FleetTicket ticket) {
    List<String> all = new ArrayList<>();
    ticket.endpoint.spec().upstreams().forEach(each -> all.add(each.id()));
    if (ticket.failed > 0) {
      all.remove(ticket.avoided); // it may stop avoiding it when no other is healthy
    } else if (ticket.ask.conversation() != null) {
      String kept = choices.keptTo(ticket);
      all.removeIf(each -> !each.equals(kept));
    }
    return all.stream().map(each -> instance.upstream(each)).toList();
  }

  /**
   * Returns whether every limit on a route would admit a ticket now, and no quota there is claimed
   * for another one.
   */
  boolean admits(FleetTicket ticket, Way way) {
    long now = instance.local();
    ParkedTicket parkedTicket = Objects.requireNonNull(ticket.parkedTicket);
    for (Quota quota : way.quotas()) {
      for (MeteredLimit metered : quota.limits()) {
        Limit limit = metered.limit();
        long amount = Math.min(needed(ticket, metered), limit.capacity(now));
        if (amount > limit.room(now) || limit.paceAllowsAt(amount, now) > now) {
          return false;
        }
      }
      if (quota.waitList().isClaimedForOther(parkedTicket)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether a limit is a budget of tokens. */
  static boolean isBudget(MeteredLimit metered) {
    return metered.measure() == LimitMeasure.TOKENS
        && metered.limit().spec() instanceof LimitSpec.Day;
  }

  /** Returns what must be free: of a budget, as much as the request may use. */
  private static long needed(FleetTicket ticket, MeteredLimit metered) {
    return isBudget(metered)
        ? CostDimension.MOST.of(ticket.ask.cost())
        : amount(ticket, metered.measure());
  }

  static long amount(FleetTicket ticket, LimitMeasure limitMeasure) {
    return switch (limitMeasure) {
      case REQUESTS, CONCURRENCY -> 1;
      case TOKENS -> ticket.ask.cost().totalTokens();
      case INPUT_TOKENS -> ticket.ask.cost().inputTokens();
      case OUTPUT_TOKENS -> ticket.ask.cost().outputTokens();
    };
  }
}
