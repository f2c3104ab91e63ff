package io.penstock.simulator;

import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import java.util.List;

/** Configurations with a part of them changed. */
final class ChangedSpecs {
  private ChangedSpecs() {}

  static EndpointSpec with(
      EndpointSpec spec,
      EndpointSpec.Scheduling scheduling,
      EndpointSpec.Waiting waiting,
      List<UpstreamSpec> upstreams) {
    return EndpointSetup.like(spec).scheduling(scheduling).waiting(waiting).to(upstreams).spec();
  }

  /** Returns an upstream of which whole limits may be left uncharged because of caches. */
  static UpstreamSpec trustingAll(UpstreamSpec spec) {
    return UpstreamSetup.like(spec).cacheTrust(100).spec();
  }

  static EndpointSpec with(EndpointSpec spec, LimitSpec limit) {
    return EndpointSetup.like(spec).limit(limit).spec();
  }

  /** Returns the same endpoint in shadow mode. */
  static EndpointSpec shadow(EndpointSpec spec) {
    return EndpointSetup.like(spec).shadow(true).spec();
  }

  /** Returns the settings of a dynamic endpoint below another, which it takes from there. */
  static EndpointSpec below(EndpointSpec parent, String path) {
    return EndpointSetup.like(parent).at(path, parent.path()).spec();
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
        waiting.placeGraceNanos(),
        waiting.heartbeats(),
        0,
        waiting.lightRpm());
  }
}
