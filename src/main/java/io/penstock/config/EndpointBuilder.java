package io.penstock.config;

import static io.penstock.config.EndpointSettings.ALGORITHM;
import static io.penstock.config.EndpointSettings.COST_FROM;
import static io.penstock.config.EndpointSettings.DEFAULT_OUTPUT_TOKENS;
import static io.penstock.config.EndpointSettings.DEFAULT_TOKENS;
import static io.penstock.config.EndpointSettings.DIALECT;
import static io.penstock.config.EndpointSettings.MAX_BODY_BYTES;
import static io.penstock.config.EndpointSettings.MAX_QUEUED_BYTES;
import static io.penstock.config.EndpointSettings.MAX_QUEUED_TOKENS;
import static io.penstock.config.EndpointSettings.MAX_QUEUE_SIZE;
import static io.penstock.config.EndpointSettings.MAX_SKIPS;
import static io.penstock.config.EndpointSettings.MAX_WAIT;
import static io.penstock.config.EndpointSettings.PATH;
import static io.penstock.config.EndpointSettings.QUEUE_TIMEOUT;
import static io.penstock.config.EndpointSettings.RATE;
import static io.penstock.config.EndpointSettings.STRIP_PREFIX;
import static io.penstock.config.EndpointSettings.TOKENS_PER_WINDOW;
import static io.penstock.config.EndpointSettings.UNIT;
import static io.penstock.config.EndpointSettings.UPSTREAMS;
import static io.penstock.config.EndpointSettings.WINDOW_SECONDS;

import io.penstock.cost.Dialect;
import io.penstock.endpoint.Algorithm;
import io.penstock.endpoint.CostFrom;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.Reading;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Rate;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.Bounds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Checks what the settings of one endpoint say together, and builds it. */
final class EndpointBuilder {
  private final Values values;
  private final Faults faults;
  private final Draft draft;

  EndpointBuilder(Values values, Faults faults, Draft draft) {
    this.values = values;
    this.faults = faults;
    this.draft = draft;
  }

  /** Adds the endpoint to the draft, or faults. */
  void build() {
    if (values.usable(PATH)) {
      draft.path(values.get(PATH), values.place(PATH));
    }
    if (values.usable(COST_FROM, DIALECT)) {
      checkCostFrom();
    }
    Optional<LimitSpec> limit = limit();
    Optional<Upstreams> upstreams = upstreams();
    if (values.usable() && limit.isPresent() && upstreams.isPresent()) {
      draft.endpoint(endpoint(limit.get(), upstreams.get()));
    }
  }

  /** The upstreams of the endpoint, built and as they are shown. */
  private record Upstreams(List<UpstreamSpec> specs, List<Map<String, Object>> shown) {}

  private void checkCostFrom() {
    CostFrom from = values.get(COST_FROM);
    if (values.get(DIALECT) == Dialect.NONE && from != CostFrom.QUERY) {
      faults.add(
          values.placeOfAny(COST_FROM, DIALECT),
          "cost_from is '%s', but dialect none reads no body, expected query or a dialect"
              .formatted(from.name().toLowerCase(Locale.ROOT)));
    }
  }

  private Optional<LimitSpec> limit() {
    if (!values.usable(ALGORITHM, UPSTREAMS)) {
      return Optional.empty();
    }
    return switch (values.get(ALGORITHM)) {
      case NONE -> Optional.of(new LimitSpec.Unlimited());
      case STRICT -> strict();
      case TOKEN_WINDOW -> window();
      case TOKEN_BUCKET, SLIDING_WINDOW -> Optional.empty();
    };
  }

  private Optional<LimitSpec> strict() {
    if (!values.usable(RATE, UNIT)) {
      return Optional.empty();
    }
    try {
      return Optional.of(new LimitSpec.Strict(Rate.of(values.get(RATE), values.get(UNIT))));
    } catch (IllegalArgumentException e) {
      faults.add(values.placeOfAny(RATE, UNIT), String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  private Optional<LimitSpec> window() {
    boolean complete = required(TOKENS_PER_WINDOW);
    complete &= required(WINDOW_SECONDS); // both, so that both faults are found
    if (!complete || !values.usable(TOKENS_PER_WINDOW, WINDOW_SECONDS)) {
      return Optional.empty();
    }
    long capacity = values.get(TOKENS_PER_WINDOW);
    if (values.usable(DEFAULT_TOKENS) && values.get(DEFAULT_TOKENS) > capacity) {
      faults.add(
          values.placeOfAny(DEFAULT_TOKENS, TOKENS_PER_WINDOW),
          "default_tokens is %d, expected at most tokens_per_window, %d"
              .formatted(values.get(DEFAULT_TOKENS), capacity));
    }
    return Optional.of(
        new LimitSpec.FixedWindow(capacity, Numbers.secondsToNanos(values.get(WINDOW_SECONDS))));
  }

  private boolean required(Setting<?> setting) {
    boolean there = !values.usable(setting) || values.set(setting).isPresent();
    if (!there) {
      faults.add(
          values.place(ALGORITHM),
          "algorithm token_window has no " + setting.name() + ", expected it to be set");
    }
    return there;
  }

  private Optional<Upstreams> upstreams() {
    if (!values.usable(UPSTREAMS, DIALECT)) {
      return Optional.empty();
    }
    Upstreams upstreams = new Upstreams(new ArrayList<>(), new ArrayList<>());
    Set<String> ids = new HashSet<>();
    boolean good = true;
    for (Section section : values.get(UPSTREAMS)) {
      Values upstream = Values.ofUpstream(section, values);
      if (upstream.usable(UpstreamSettings.ID) && !ids.add(upstream.get(UpstreamSettings.ID))) {
        faults.add(
            upstream.place(UpstreamSettings.ID),
            "upstream '%s' is in this list twice, expected it once"
                .formatted(upstream.get(UpstreamSettings.ID)));
      }
      good &= upstream.usable();
      if (upstream.usable()) {
        UpstreamSpec spec = UpstreamBuilder.build(upstream);
        note(spec, section.start(), upstream.place(UpstreamSettings.ID));
        upstreams.specs().add(spec);
        upstreams.shown().add(Collections.unmodifiableMap(upstream.shown()));
      }
    }
    return good ? Optional.of(upstreams) : Optional.empty();
  }

  private void note(UpstreamSpec upstream, Place start, Place id) {
    draft.upstream(upstream, id);
    if (upstream.disabledBecause() != null) {
      draft.warn(
          start,
          "upstream '%s' is disabled: %s".formatted(upstream.id(), upstream.disabledBecause()));
    }
    if (values.usable(ALGORITHM)
        && values.get(ALGORITHM) == Algorithm.TOKEN_WINDOW
        && !upstream.url().getScheme().equals("mock")
        && upstream.limits().none()) {
      draft.warn(
          start,
          "upstream '%s' has no limit of its own, and 60 seconds may hold more than its provider"
                  .formatted(upstream.id())
              + " allows: windows of token_window may be spent late, and the next one early;"
              + " expected rpm_limit, tpm_limit, itpm_limit or otpm_limit");
    }
  }

  private EndpointSpec endpoint(LimitSpec limit, Upstreams upstreams) {
    long tokens = values.get(MAX_QUEUED_TOKENS);
    Map<String, Object> shown = values.shown();
    shown.put(UPSTREAMS.name(), List.copyOf(upstreams.shown()));
    return new EndpointSpec(
        values.get(PATH),
        values.get(PATH),
        values.get(ALGORITHM),
        limit,
        EndpointSpec.Scheduling.fifo(Math.toIntExact(values.get(MAX_SKIPS))),
        EndpointSpec.Waiting.of(
            new Bounds(
                values.get(MAX_QUEUE_SIZE),
                tokens == 0 ? Bounds.UNLIMITED : tokens,
                values.get(MAX_QUEUED_BYTES)),
            Numbers.secondsToNanos(values.get(QUEUE_TIMEOUT)),
            Numbers.secondsToNanos(values.get(MAX_WAIT))),
        new Reading(
            values.get(DIALECT),
            values.get(COST_FROM),
            values.get(DEFAULT_TOKENS),
            values.get(DEFAULT_OUTPUT_TOKENS),
            values.get(MAX_BODY_BYTES)),
        EndpointSpec.Descendants.SERVED,
        false,
        values.get(STRIP_PREFIX),
        upstreams.specs(),
        shown,
        values.stated());
  }
}
