package io.penstock.config;

import static io.penstock.config.EndpointSettings.AFFINITY;
import static io.penstock.config.EndpointSettings.ALGORITHM;
import static io.penstock.config.EndpointSettings.ANSWER_HEADERS;
import static io.penstock.config.EndpointSettings.CACHE_WARMUP;
import static io.penstock.config.EndpointSettings.CACHE_WARMUP_SCOPE;
import static io.penstock.config.EndpointSettings.CALLS;
import static io.penstock.config.EndpointSettings.COST_FROM;
import static io.penstock.config.EndpointSettings.DEFAULT_OUTPUT_TOKENS;
import static io.penstock.config.EndpointSettings.DEFAULT_TOKENS;
import static io.penstock.config.EndpointSettings.DIALECT;
import static io.penstock.config.EndpointSettings.DYNAMIC;
import static io.penstock.config.EndpointSettings.EXPOSE_UPSTREAM_LIMITS;
import static io.penstock.config.EndpointSettings.FAIR_BY;
import static io.penstock.config.EndpointSettings.FORWARD_HEADERS;
import static io.penstock.config.EndpointSettings.HEARTBEAT_SECONDS;
import static io.penstock.config.EndpointSettings.MAX_BLOCKED;
import static io.penstock.config.EndpointSettings.MAX_BODY_BYTES;
import static io.penstock.config.EndpointSettings.MAX_DYNAMIC_ENDPOINTS;
import static io.penstock.config.EndpointSettings.MAX_OUTPUT;
import static io.penstock.config.EndpointSettings.MAX_QUEUED_BYTES;
import static io.penstock.config.EndpointSettings.MAX_QUEUED_TOKENS;
import static io.penstock.config.EndpointSettings.MAX_QUEUE_SIZE;
import static io.penstock.config.EndpointSettings.MAX_SKIPS;
import static io.penstock.config.EndpointSettings.MAX_UPLOAD_BYTES;
import static io.penstock.config.EndpointSettings.MAX_WAIT;
import static io.penstock.config.EndpointSettings.OVERFLOW;
import static io.penstock.config.EndpointSettings.PATH;
import static io.penstock.config.EndpointSettings.PRIORITY_AGING_SECONDS;
import static io.penstock.config.EndpointSettings.QUEUE_TIMEOUT;
import static io.penstock.config.EndpointSettings.RETRY_AFTER_MAX;
import static io.penstock.config.EndpointSettings.SCHEDULER;
import static io.penstock.config.EndpointSettings.SHADOW;
import static io.penstock.config.EndpointSettings.SHORT_PARAMETERS;
import static io.penstock.config.EndpointSettings.STRIP_PREFIX;
import static io.penstock.config.EndpointSettings.UPGRADE;
import static io.penstock.config.EndpointSettings.UPSTREAMS;

import io.penstock.config.shape.AffinitySetting;
import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.FileSection;
import io.penstock.config.shape.LocatedValue;
import io.penstock.config.shape.NumberShapes;
import io.penstock.config.shape.SourcePlace;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.Descendants;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Forwarding;
import io.penstock.endpoint.EndpointSpec.Reading;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointSpec.Waiting;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.UpstreamSpec.SharedPool;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import io.penstock.sharing.LimitId;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Checks that the settings of one endpoint are consistent, and builds the endpoint. */
final class EndpointBuilder {
  private static final BigDecimal SHORTEST_HEARTBEAT = new BigDecimal("0.001");

  private final EffectiveValues values;
  private final FaultCollector faultCollector;
  private final ConfigurationDraft configurationDraft;
  private final boolean rls;
  private final LikelyMistakes likelyMistakes;

  EndpointBuilder(EffectiveValues values, ConfigurationDraft configurationDraft, boolean rls) {
    this.values = values;
    this.faultCollector = configurationDraft.faults();
    this.configurationDraft = configurationDraft;
    this.rls = rls;
    this.likelyMistakes = new LikelyMistakes(values, configurationDraft);
  }

  /** Adds the endpoint to the draft, or faults. */
  void build() {
    if (values.usable(PATH)) {
      configurationDraft.path(values.get(PATH), values.place(PATH));
    }
    check();
    if (!rls) {
      likelyMistakes.ofEndpoint();
    }
    Optional<LimitSpec> limit = new LimitBuilder(values, faultCollector, rls).build();
    Optional<Upstreams> upstreams = upstreams();
    if (values.usable() && limit.isPresent() && upstreams.isPresent()) {
      configurationDraft.sharing().note(LimitId.Kind.ENDPOINT, values.get(PATH), values);
      configurationDraft.endpoint(endpoint(limit.get(), upstreams.get()));
    }
  }

  /** The upstreams of the endpoint, as built and as shown. */
  private record Upstreams(List<UpstreamSpec> specs, List<Map<String, Object>> shown) {}

  /** Adds faults for contradictory settings. */
  private void check() {
    if (values.usable(COST_FROM, DIALECT)) {
      checkCostFrom();
    }
    if (values.usable(FAIR_BY, DIALECT, SCHEDULER)) {
      checkFairBy();
    }
    if (values.usable(AFFINITY, DIALECT)) {
      checkAffinity();
    }
    if (values.usable(OVERFLOW, MAX_BLOCKED)) {
      checkMaxBlocked();
    }
    if (values.usable(HEARTBEAT_SECONDS)) {
      checkHeartbeat();
    }
  }

  private void checkCostFrom() {
    CostSource from = values.get(COST_FROM);
    if (!values.get(DIALECT).readsBodies() && from != CostSource.QUERY) {
      faultCollector.add(
          values.placeOfAny(COST_FROM, DIALECT),
          "cost_from is '%s', but dialect none reads no body, expected query or a dialect"
              .formatted(from.name().toLowerCase(Locale.ROOT)));
    }
  }

  private void checkFairBy() {
    if (values.get(SCHEDULER) == QueueOrder.FAIR
        && !values.get(DIALECT).readsBodies()
        && values.get(FAIR_BY) instanceof FairBy.BodyUser) {
      faultCollector.add(
          values.placeOfAny(FAIR_BY, DIALECT, SCHEDULER),
          "fair_by is 'body:user', but dialect none reads no body, expected another or a dialect");
    }
  }

  private void checkAffinity() {
    EndpointSpec.Affinity affinity = values.get(AFFINITY);
    boolean readsBody =
        affinity instanceof EndpointSpec.Affinity.Auto
            || affinity instanceof EndpointSpec.Affinity.Prefix;
    if (!values.get(DIALECT).readsBodies() && readsBody) {
      faultCollector.add(
          values.placeOfAny(AFFINITY, DIALECT),
          "affinity is '%s', but dialect none reads no body, expected another or a dialect"
              .formatted(new AffinitySetting().show(affinity)));
    }
  }

  private void checkMaxBlocked() {
    if (values.get(OVERFLOW) && values.get(MAX_BLOCKED) == 0) {
      faultCollector.add(
          values.placeOfAny(MAX_BLOCKED, OVERFLOW),
          "max_blocked is 0, but overflow is block, expected at least 1, or overflow reject");
    }
  }

  private void checkHeartbeat() {
    BigDecimal seconds = values.get(HEARTBEAT_SECONDS);
    if (seconds.signum() > 0 && seconds.compareTo(SHORTEST_HEARTBEAT) < 0) {
      faultCollector.add(
          values.placeOfAny(HEARTBEAT_SECONDS),
          "heartbeat_seconds is %s, expected 0 or at least %s"
              .formatted(seconds.toPlainString(), SHORTEST_HEARTBEAT));
    }
  }

  private Optional<Upstreams> upstreams() {
    if (!values.usable(UPSTREAMS, DIALECT)) {
      return Optional.empty();
    }
    Upstreams upstreams = new Upstreams(new ArrayList<>(), new ArrayList<>());
    Set<String> ids = new HashSet<>();
    boolean good = true;
    for (FileSection section : values.get(UPSTREAMS)) {
      EffectiveValues upstream = EffectiveValues.inside(values, UpstreamSettings.TABLE, section);
      if (upstream.usable(UpstreamSettings.ID) && !ids.add(upstream.get(UpstreamSettings.ID))) {
        faultCollector.add(
            upstream.place(UpstreamSettings.ID),
            "upstream '%s' is in this list twice, expected it once"
                .formatted(upstream.get(UpstreamSettings.ID)));
      }
      good &= add(upstream, section.start(), upstreams);
    }
    return good ? Optional.of(upstreams) : Optional.empty();
  }

  /** Adds an upstream; returns false if it has a fault. */
  private boolean add(EffectiveValues upstream, SourcePlace start, Upstreams upstreams) {
    boolean good = UpstreamBuilder.agree(upstream, faultCollector);
    if (!upstream.usable(UpstreamSettings.LIMITS, UpstreamSettings.MODELS)) {
      return false;
    }
    PoolBuilder pools = new PoolBuilder(upstream, faultCollector);
    Optional<List<SharedPool>> built = pools.build();
    if (!good || built.isEmpty() || !upstream.usable()) {
      return false;
    }
    UpstreamSpec spec = UpstreamBuilder.build(upstream, built.get());
    note(spec, start, upstream.place(UpstreamSettings.ID));
    likelyMistakes.ofUpstream(upstream);
    configurationDraft.sharing().note(LimitId.Kind.UPSTREAM, spec.id(), upstream);
    upstreams.specs().add(spec);
    Map<String, Object> shown = upstream.shown();
    if (!built.get().isEmpty()) {
      shown.put(UpstreamSettings.LIMITS.name(), pools.shown());
    }
    upstreams.shown().add(Collections.unmodifiableMap(shown));
    return true;
  }

  private void note(UpstreamSpec upstream, SourcePlace start, SourcePlace id) {
    configurationDraft.upstream(upstream, id);
    if (upstream.access().disabledBecause() != null) {
      configurationDraft.warn(
          start,
          "upstream %s is disabled: %s"
              .formatted(upstream.id(), upstream.access().disabledBecause()));
    }
    if (values.usable(ALGORITHM)
        && values.get(ALGORITHM) == LimitAlgorithm.TOKEN_WINDOW
        && !upstream.url().getScheme().equals("mock")
        && upstream.budget().limits().none()
        && upstream.budget().pools().isEmpty()) {
      configurationDraft.warn(
          start,
          "upstream '%s' has no limit of its own, and 60 seconds may hold more than its provider"
                  .formatted(upstream.id())
              + " allows: windows of token_window may be spent late, and the next one early;"
              + " expected rpm, tpm, itpm or otpm");
    }
  }

  private EndpointSpec endpoint(LimitSpec limit, Upstreams upstreams) {
    Map<String, Object> shown = values.shown();
    boolean shortParameters = shortParameters();
    shown.put(SHORT_PARAMETERS.name(), shortParameters);
    shown.put(UPSTREAMS.name(), List.copyOf(upstreams.shown()));
    return new EndpointSpec(
        values.get(PATH),
        values.get(PATH),
        values.get(ALGORITHM),
        limit,
        scheduling(),
        waiting(),
        new Reading(
            values.get(DIALECT),
            values.get(COST_FROM),
            values.get(DEFAULT_TOKENS),
            values.get(DEFAULT_OUTPUT_TOKENS),
            values.get(MAX_BODY_BYTES),
            values.get(MAX_UPLOAD_BYTES),
            rls,
            shortParameters,
            values.get(MAX_OUTPUT)),
        new Descendants(values.get(DYNAMIC), Math.toIntExact(values.get(MAX_DYNAMIC_ENDPOINTS))),
        values.get(SHADOW),
        new Forwarding(
            values.get(STRIP_PREFIX),
            values.get(AFFINITY),
            values.get(UPGRADE),
            Map.of(),
            values.get(EXPOSE_UPSTREAM_LIMITS),
            values.get(FORWARD_HEADERS),
            values.get(ANSWER_HEADERS),
            values.get(CALLS),
            new EndpointSpec.Warmup(
                NumberShapes.secondsToNanos(values.get(CACHE_WARMUP)),
                values.get(CACHE_WARMUP_SCOPE))),
        upstreams.specs(),
        shown,
        values.stated());
  }

  /** Returns whether short parameters are read, which is the default in all files of rls. */
  private boolean shortParameters() {
    return rls
        ? values.set(SHORT_PARAMETERS).map(LocatedValue::value).orElse(true)
        : values.get(SHORT_PARAMETERS);
  }

  private Scheduling scheduling() {
    return new Scheduling(
        values.get(SCHEDULER),
        NumberShapes.secondsToNanos(values.get(PRIORITY_AGING_SECONDS)),
        Math.toIntExact(values.get(MAX_SKIPS)),
        values.get(FAIR_BY));
  }

  private Waiting waiting() {
    long tokens = values.get(MAX_QUEUED_TOKENS);
    return new Waiting(
        new QueueBounds(
            values.get(MAX_QUEUE_SIZE),
            tokens == 0 ? QueueBounds.UNLIMITED : tokens,
            values.get(MAX_QUEUED_BYTES)),
        values.get(OVERFLOW) ? Math.toIntExact(values.get(MAX_BLOCKED)) : 0,
        NumberShapes.secondsToNanos(values.get(QUEUE_TIMEOUT)),
        rls,
        NumberShapes.secondsToNanos(values.get(MAX_WAIT)),
        NumberShapes.secondsToNanos(values.get(HEARTBEAT_SECONDS)),
        values.get(RETRY_AFTER_MAX));
  }
}
