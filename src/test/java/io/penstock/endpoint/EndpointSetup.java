package io.penstock.endpoint;

import io.penstock.cost.AllowedCalls;
import io.penstock.cost.Dialect;
import io.penstock.cost.ExcessOutput;
import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.EndpointSpec.Affinity;
import io.penstock.endpoint.EndpointSpec.Descendants;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Fallback;
import io.penstock.endpoint.EndpointSpec.Forwarding;
import io.penstock.endpoint.EndpointSpec.Parameters;
import io.penstock.endpoint.EndpointSpec.PassedHeaders;
import io.penstock.endpoint.EndpointSpec.Reading;
import io.penstock.endpoint.EndpointSpec.RouteEntry;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointSpec.UpstreamOrder;
import io.penstock.endpoint.EndpointSpec.Waiting;
import io.penstock.endpoint.EndpointSpec.Warmup;
import io.penstock.key.KeySpec;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Builds configurations of endpoints in which only what a test is about differs from defaults. */
public final class EndpointSetup {
  private String path;
  private String configuredPath;
  private LimitSpec limit;
  private Scheduling scheduling = fifo(64);
  private Waiting waiting = EndpointFixture.OPEN;
  private Reading reading = reading(DialectTable.NONE, CostSource.QUERY, 1, 256, 1 << 20);
  private Descendants descendants = Descendants.SERVED;
  private boolean shadow;
  private Forwarding forwarding = forwarding(List.of(), Map.of(), true);
  private Map<String, Object> shown = Map.of();
  private Set<String> stated = Set.of();

  private EndpointSetup(String path, LimitSpec limit) {
    this.path = path;
    this.configuredPath = path;
    this.limit = limit;
  }

  public static EndpointSetup of(String path, LimitSpec limit) {
    return new EndpointSetup(path, limit);
  }

  /** Returns the settings of a configuration, to change some of them. */
  public static EndpointSetup like(EndpointSpec spec) {
    EndpointSetup same = of(spec.path(), spec.limit());
    same.configuredPath = spec.entry().path();
    same.scheduling = spec.scheduling();
    same.waiting = spec.waiting();
    same.reading = spec.reading();
    same.descendants = spec.entry().descendants();
    same.shadow = spec.shadow();
    same.forwarding = spec.forwarding();
    same.shown = spec.entry().shown();
    same.stated = spec.entry().stated();
    return same;
  }

  /** Returns first come, first served. */
  public static Scheduling fifo(int maxSkips) {
    return new Scheduling(QueueOrder.FIFO, 0, maxSkips, new FairBy.Key());
  }

  /** Returns settings with a common size of uploads, and without short parameters. */
  public static Reading reading(
      Dialect dialect,
      CostSource costFrom,
      long defaultTokens,
      long defaultOutputTokens,
      long maxBodyBytes) {
    return new Reading(
        dialect,
        costFrom,
        defaultTokens,
        defaultOutputTokens,
        maxBodyBytes,
        512L << 20,
        Parameters.STRICT,
        ExcessOutput.REFUSE);
  }

  private static Forwarding forwarding(
      List<UpstreamSpec> upstreams, Map<String, Fallback> fallbacks, boolean stripPrefix) {
    return new Forwarding(
        upstreams,
        UpstreamOrder.LEAST_USED,
        fallbacks,
        stripPrefix,
        new Affinity.None(),
        Warmup.OFF,
        true,
        PassedHeaders.NONE,
        AllowedCalls.ALL);
  }

  /** Sets the path of an endpoint that has its settings from another. */
  public EndpointSetup at(String below, String configured) {
    path = below;
    configuredPath = configured;
    return this;
  }

  public EndpointSetup limit(LimitSpec spec) {
    limit = spec;
    return this;
  }

  public EndpointSetup scheduling(Scheduling order) {
    scheduling = order;
    return this;
  }

  public EndpointSetup maxSkips(int skips) {
    return scheduling(fifo(skips));
  }

  /** Returns terms without heartbeats, and with whatever advice to retry. */
  public static Waiting waiting(
      QueueBounds bounds,
      int maxBlocked,
      long queueTimeoutNanos,
      boolean estimateOnly,
      long maxWaitNanos) {
    return new Waiting(
        bounds,
        maxBlocked,
        queueTimeoutNanos,
        estimateOnly,
        maxWaitNanos,
        0,
        EndpointSpec.Heartbeats.NONE,
        0,
        KeySpec.Limits.LIGHT_RPM);
  }

  public EndpointSetup waiting(Waiting terms) {
    waiting = terms;
    return this;
  }

  private EndpointSetup waiting(QueueBounds bounds, long queueTimeoutNanos, long maxWaitNanos) {
    return waiting(waiting(bounds, 0, queueTimeoutNanos, false, maxWaitNanos));
  }

  public EndpointSetup bounds(QueueBounds bounds) {
    return waiting(bounds, waiting.queueTimeoutNanos(), waiting.maxWaitNanos());
  }

  public EndpointSetup bounds(long tickets, long tokens, long bytes) {
    return bounds(new QueueBounds(tickets, tokens, bytes));
  }

  public EndpointSetup queueTimeout(long nanos) {
    return waiting(waiting.bounds(), nanos, waiting.maxWaitNanos());
  }

  public EndpointSetup maxWait(long nanos) {
    return waiting(waiting.bounds(), waiting.queueTimeoutNanos(), nanos);
  }

  public EndpointSetup reading(Reading how) {
    reading = how;
    return this;
  }

  public EndpointSetup descendants(boolean dynamic, int most) {
    descendants = new Descendants(dynamic, most);
    return this;
  }

  public EndpointSetup shadow(boolean isShadow) {
    shadow = isShadow;
    return this;
  }

  public EndpointSetup forwarding(Forwarding how) {
    forwarding = how;
    return this;
  }

  public EndpointSetup stripPrefix(boolean strip) {
    return forwarding(forwarding(forwarding.upstreams(), forwarding.fallbacks(), strip));
  }

  public EndpointSetup fallbacks(Map<String, Fallback> fallbacks) {
    return forwarding(
        new Forwarding(
            forwarding.upstreams(),
            forwarding.order(),
            fallbacks,
            forwarding.stripPrefix(),
            forwarding.affinity(),
            forwarding.warmup(),
            forwarding.upgrades(),
            forwarding.headers(),
            forwarding.calls()));
  }

  public EndpointSetup to(UpstreamSpec... specs) {
    return to(List.of(specs));
  }

  public EndpointSetup to(List<UpstreamSpec> specs) {
    return forwarding(
        new Forwarding(
            specs,
            forwarding.order(),
            forwarding.fallbacks(),
            forwarding.stripPrefix(),
            forwarding.affinity(),
            forwarding.warmup(),
            forwarding.upgrades(),
            forwarding.headers(),
            forwarding.calls()));
  }

  /** Sets which of several upstreams takes a request. */
  public EndpointSetup order(UpstreamOrder order) {
    return forwarding(
        new Forwarding(
            forwarding.upstreams(),
            order,
            forwarding.fallbacks(),
            forwarding.stripPrefix(),
            forwarding.affinity(),
            forwarding.warmup(),
            forwarding.upgrades(),
            forwarding.headers(),
            forwarding.calls()));
  }

  public EndpointSetup shown(Map<String, Object> settings) {
    shown = settings;
    return this;
  }

  public EndpointSetup stated(Set<String> keys) {
    stated = keys;
    return this;
  }

  public EndpointSpec spec() {
    return new EndpointSpec(
        path,
        new RouteEntry(configuredPath, descendants, shown, stated),
        limit,
        scheduling,
        waiting,
        reading,
        shadow,
        forwarding);
  }
}
