package io.penstock.simulator;

import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Configurations with a part of them changed. */
final class ChangedSpecs {
  private ChangedSpecs() {}

  static EndpointSpec with(
      EndpointSpec spec,
      EndpointSpec.Scheduling scheduling,
      EndpointSpec.Waiting waiting,
      List<UpstreamSpec> upstreams) {
    return new EndpointSpec(
        spec.path(),
        spec.configuredPath(),
        spec.algorithm(),
        spec.limit(),
        scheduling,
        waiting,
        spec.reading(),
        spec.descendants(),
        spec.shadow(),
        spec.forwarding().stripPrefix(),
        upstreams,
        Map.of());
  }

  /** Returns an upstream of which whole limits may be left uncharged because of caches. */
  static UpstreamSpec trustingAll(UpstreamSpec spec) {
    UpstreamSpec.Budget budget = spec.budget();
    return new UpstreamSpec(
        spec.id(),
        spec.url(),
        spec.access(),
        spec.models(),
        spec.weight(),
        new UpstreamSpec.Budget(
            budget.limits(),
            budget.pools(),
            budget.day(),
            budget.charge(),
            budget.settlesUsage(),
            budget.guardNanos(),
            budget.burstSeconds(),
            100),
        spec.link(),
        spec.injectsUsage());
  }

  static EndpointSpec with(EndpointSpec spec, LimitAlgorithm limitAlgorithm, LimitSpec limit) {
    return with(spec, limitAlgorithm, limit, spec.shadow());
  }

  /** Returns the same endpoint in shadow mode. */
  static EndpointSpec shadow(EndpointSpec spec) {
    return with(spec, spec.algorithm(), spec.limit(), true);
  }

  private static EndpointSpec with(
      EndpointSpec spec, LimitAlgorithm limitAlgorithm, LimitSpec limit, boolean shadow) {
    return new EndpointSpec(
        spec.path(),
        spec.configuredPath(),
        limitAlgorithm,
        limit,
        spec.scheduling(),
        spec.waiting(),
        spec.reading(),
        spec.descendants(),
        shadow,
        spec.forwarding(),
        spec.upstreams(),
        Map.of(),
        Set.of());
  }

  /** Returns the settings of a dynamic endpoint below another, which it takes from there. */
  static EndpointSpec below(EndpointSpec parent, String path) {
    return new EndpointSpec(
        path,
        parent.path(),
        parent.algorithm(),
        parent.limit(),
        parent.scheduling(),
        parent.waiting(),
        parent.reading(),
        parent.descendants(),
        parent.shadow(),
        parent.forwarding().stripPrefix(),
        parent.upstreams(),
        Map.of());
  }

  static EndpointSpec.Scheduling with(EndpointSpec.Scheduling scheduling, QueueOrder order) {
    return new EndpointSpec.Scheduling(
        order, scheduling.agingNanos(), scheduling.maxSkips(), scheduling.fairBy());
  }

  static EndpointSpec.Waiting with(
      EndpointSpec.Waiting waiting, QueueBounds bounds, int maxBlocked) {
    return new EndpointSpec.Waiting(
        bounds,
        maxBlocked,
        waiting.queueTimeoutNanos(),
        waiting.estimateOnly(),
        waiting.maxWaitNanos(),
        waiting.heartbeatNanos());
  }
}
