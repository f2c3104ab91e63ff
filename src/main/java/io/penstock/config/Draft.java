package io.penstock.config;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.Fallback;
import io.penstock.pool.UpstreamSpec;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A configuration under construction: the combined content of all files. Not thread-safe. */
final class Draft {
  private final Faults faults;
  private final List<EndpointSpec> endpoints = new ArrayList<>();
  private final Map<String, Place> paths = new HashMap<>();
  private final Map<String, Located<UpstreamSpec>> upstreams = new HashMap<>();
  private final Map<String, Located<Fallback>> models = new HashMap<>();
  private final Map<String, Snapshot.Model> said = new HashMap<>();
  private final Set<String> providers = new TreeSet<>();
  private final SharingSetting sharing;
  private final Roster roster;
  private final Set<String> variables = new TreeSet<>();
  private final Set<String> warnings = new LinkedHashSet<>();
  private final boolean coordination;
  private @Nullable Runnable root;
  private boolean rls;

  /** Whether {@code /} was added as the catch-all of rls, without being configured. */
  private boolean rest;

  private @Nullable Located<String> host;
  private @Nullable Located<Long> port;

  /**
   * Creates an empty draft.
   *
   * @param coordination whether the paths of the coordination API are reserved
   */
  Draft(Faults faults, boolean coordination) {
    this.faults = faults;
    this.coordination = coordination;
    this.sharing = new SharingSetting(faults);
    this.roster = new Roster(faults, sharing);
  }

  /** Returns the keys and groups. */
  Roster roster() {
    return roster;
  }

  /** Returns the collected {@code sharing} settings. */
  SharingSetting sharing() {
    return sharing;
  }

  /** Adds names of profiles of model quotas; each file may add some. */
  void providers(List<String> names) {
    providers.addAll(names);
  }

  /**
   * Adds faults for references to missing names and for reserved paths. Call it after all files.
   */
  void check() {
    if (coordination) {
      paths.forEach(
          (path, place) -> {
            if (!rest || path.length() > 1) {
              Reserved.fault(path).ifPresent(problem -> faults.add(place, problem));
            }
          });
    }
    roster.check(endpoints, this::warn);
  }

  Faults faults() {
    return faults;
  }

  /** Notes a configuration of rls; {@code root} builds {@code /} if no file has it. */
  void rls(Runnable root) {
    rls = true;
    this.root = this.root == null ? root : this.root;
  }

  /**
   * Builds {@code /} if there is a configuration of rls and no file has that path. Call it after
   * all files.
   */
  void addRoot() {
    if (root != null && !paths.containsKey("/")) {
      root.run();
      rest = true;
    }
  }

  /** Notes the host and port to listen on; a file with different ones is a fault. */
  void listen(Section server) {
    host = same(host, server.get(Rls.HOST), "server.host");
    port = same(port, server.get(Rls.PORT), "server.port");
  }

  private <T> @Nullable Located<T> same(
      @Nullable Located<T> first, @Nullable Located<T> second, String name) {
    if (first != null && second != null && !first.value().equals(second.value())) {
      faults.add(
          second.place(),
          "%s is %s, but %s at %s, expected the same"
              .formatted(name, second.value(), first.value(), first.place()));
    }
    return first == null ? second : first;
  }

  /** Notes the path of an endpoint; a second endpoint with the same path is a fault. */
  void path(String path, Place place) {
    Place first = paths.putIfAbsent(path, place);
    if (first != null) {
      faults.add(
          place, "path " + Scalar.quote(path) + " is taken at " + first + ", expected another");
    }
  }

  /** Notes an upstream; a different one with the same id is a fault. */
  void upstream(UpstreamSpec upstream, Place place) {
    Located<UpstreamSpec> first =
        upstreams.putIfAbsent(upstream.id(), new Located<>(upstream, place));
    if (first == null) {
      return;
    }
    List<String> differences = UpstreamBuilder.differences(first.value(), upstream);
    if (!differences.isEmpty()) {
      faults.add(
          place,
          "upstream '%s' differs from the one at %s in %s, expected the same or another id"
              .formatted(upstream.id(), first.place(), String.join(", ", differences)));
    }
  }

  /** Notes the settings of a model; a second section for the same model is a fault. */
  void model(String name, Section section, Place place) {
    Values values = Values.of(ModelSettings.TABLE, section);
    Fallback fallback =
        new Fallback(
            values.get(ModelSettings.FALLBACK),
            Numbers.secondsToNanos(values.get(ModelSettings.FALLBACK_AFTER)));
    Located<Fallback> first = models.putIfAbsent(name, new Located<>(fallback, place));
    if (first != null) {
      faults.add(
          place,
          "model %s is there at %s already, expected it once"
              .formatted(Scalar.quote(name), first.place()));
    }
    sharing.note(LimitId.Kind.MODEL, name, values);
    Snapshot.Model model = ModelSettings.model(values);
    if (model.limits() != null || model.price() != null) {
      said.put(name, model);
    }
    if (fallback.models().contains(name)) {
      faults.add(
          values.place(ModelSettings.FALLBACK),
          "model " + Scalar.quote(name) + " falls back to itself, expected others");
    }
  }

  private Map<String, Fallback> fallbacks() {
    Map<String, Fallback> fallbacks = new HashMap<>();
    models.forEach(
        (name, fallback) -> {
          if (!fallback.value().models().isEmpty()) {
            fallbacks.put(name, fallback.value());
          }
        });
    return fallbacks;
  }

  /** Notes environment variables that values were taken from. */
  void variables(List<String> names) {
    variables.addAll(names);
  }

  void endpoint(EndpointSpec endpoint) {
    endpoints.add(endpoint);
  }

  void warn(Place place, String warning) {
    if (warnings.size() < Faults.MOST) {
      warnings.add(place + ": " + warning);
    }
  }

  boolean empty() {
    return paths.isEmpty();
  }

  Snapshot finish() {
    Snapshot.Server server =
        new Snapshot.Server(
            host == null ? null : host.value(),
            port == null ? null : Math.toIntExact(port.value()));
    return new Snapshot(
        endpoints.stream()
            .sorted(Comparator.comparing(EndpointSpec::path))
            .map(endpoint -> endpoint.withFallbacks(fallbacks()))
            .toList(),
        rls ? server : null,
        roster.keys(),
        roster.groups(),
        said,
        List.copyOf(providers),
        sharing.terms(),
        variables,
        new ArrayList<>(warnings));
  }
}
