package io.penstock.config;

import static io.penstock.config.EndpointSettings.AFFINITY;
import static io.penstock.config.EndpointSettings.ALGORITHM;
import static io.penstock.config.EndpointSettings.COST_FROM;
import static io.penstock.config.EndpointSettings.DIALECT;
import static io.penstock.config.EndpointSettings.FAIR_BY;
import static io.penstock.config.EndpointSettings.HEARTBEAT_SECONDS;
import static io.penstock.config.EndpointSettings.MAX_BLOCKED;
import static io.penstock.config.EndpointSettings.OVERFLOW;
import static io.penstock.config.EndpointSettings.PATH;
import static io.penstock.config.EndpointSettings.SCHEDULER;
import static io.penstock.config.EndpointSettings.UPSTREAMS;

import io.penstock.config.shape.AffinitySetting;
import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.NumberShapes;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueOrder;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Checks that the settings of one endpoint are consistent, and builds the endpoint. */
final class EndpointBuilder {
  private static final long SHORTEST_HEARTBEAT = 1_000_000;

  private final EffectiveValues values;
  private final FaultCollector faultCollector;
  private final ConfigurationDraft configurationDraft;
  private final LikelyMistakes likelyMistakes;

  EndpointBuilder(EffectiveValues values, ConfigurationDraft configurationDraft) {
    this.values = values;
    this.faultCollector = configurationDraft.faults();
    this.configurationDraft = configurationDraft;
    this.likelyMistakes = new LikelyMistakes(values, configurationDraft);
  }

  /** Adds the endpoint to the draft, or faults. */
  void build() {
    if (values.usable(PATH)) {
      configurationDraft.path(values.get(PATH), values.place(PATH));
    }
    check();
    if (!values.rls()) {
      likelyMistakes.ofEndpoint();
    }
    Optional<LimitSpec> limit = new LimitBuilder(values, faultCollector).build();
    Optional<List<UpstreamSpec>> upstreams = upstreams();
    if (values.usable() && limit.isPresent() && upstreams.isPresent()) {
      configurationDraft.sharing().note(LimitId.Kind.ENDPOINT, values.get(PATH), values);
      configurationDraft.endpoint(
          fallbacks -> EndpointSettings.spec(values, limit.get(), upstreams.get(), fallbacks));
    }
  }

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
    long nanos = values.get(HEARTBEAT_SECONDS);
    if (nanos > 0 && nanos < SHORTEST_HEARTBEAT) {
      faultCollector.add(
          values.placeOfAny(HEARTBEAT_SECONDS),
          "heartbeat_seconds is %s, expected 0 or at least %s"
              .formatted(
                  NumberShapes.seconds(nanos).toPlainString(),
                  NumberShapes.seconds(SHORTEST_HEARTBEAT)));
    }
  }

  private Optional<List<UpstreamSpec>> upstreams() {
    if (!values.usable(UPSTREAMS, DIALECT)) {
      return Optional.empty();
    }
    List<UpstreamSpec> upstreams = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    List<EffectiveValues> sections = values.sections(UPSTREAMS, UpstreamSettings.TABLE);
    for (EffectiveValues upstream : sections) {
      if (upstream.usable(UpstreamSettings.ID) && !ids.add(upstream.get(UpstreamSettings.ID))) {
        faultCollector.add(
            upstream.place(UpstreamSettings.ID),
            "upstream '%s' is in this list twice, expected it once"
                .formatted(upstream.get(UpstreamSettings.ID)));
      }
      if (new UpstreamCheck(upstream, faultCollector).passes()) {
        UpstreamSpec spec = UpstreamSettings.spec(upstream);
        note(upstream, spec);
        upstreams.add(spec);
      }
    }
    return upstreams.size() == sections.size() ? Optional.of(upstreams) : Optional.empty();
  }

  private void note(EffectiveValues section, UpstreamSpec upstream) {
    configurationDraft.upstream(section);
    if (upstream.access().disabledBecause() != null) {
      configurationDraft.warn(
          section.start(),
          "upstream %s is disabled: %s"
              .formatted(upstream.id(), upstream.access().disabledBecause()));
    }
    if (values.usable(ALGORITHM)
        && values.get(ALGORITHM) == LimitAlgorithm.TOKEN_WINDOW
        && !upstream.url().getScheme().equals("mock")
        && upstream.budget().limits().none()
        && upstream.budget().pools().isEmpty()) {
      configurationDraft.warn(
          section.start(),
          "upstream '%s' has no limit of its own, and 60 seconds may hold more than its provider"
                  .formatted(upstream.id())
              + " allows: windows of token_window may be spent late, and the next one early;"
              + " expected rpm, tpm, itpm or otpm");
    }
    likelyMistakes.ofUpstream(section);
    configurationDraft.sharing().note(LimitId.Kind.UPSTREAM, upstream.id(), section);
  }
}
