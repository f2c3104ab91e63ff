package io.penstock.config;

import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.FileSection;
import io.penstock.config.shape.LocatedValue;
import io.penstock.config.shape.ScalarValue;
import io.penstock.config.shape.SourceFindings;
import io.penstock.config.shape.SourcePlace;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.Fallback;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A configuration under construction: the combined content of all files. Not thread-safe. */
final class ConfigurationDraft implements SourceFindings {
  private final FaultCollector faultCollector;
  private final List<Function<Map<String, Fallback>, EndpointSpec>> unbuilt = new ArrayList<>();
  private final Map<String, SourcePlace> paths = new HashMap<>();
  private final Map<String, EffectiveValues> upstreams = new HashMap<>();
  private final Map<String, LocatedValue<Fallback>> models = new HashMap<>();
  private final Map<String, ConfigurationSnapshot.Model> statedModels = new HashMap<>();
  private final Set<String> providers = new TreeSet<>();
  private final SharingSetting sharing;
  private final KeyRoster keyRoster;
  private final Set<String> variables = new TreeSet<>();
  private final FaultCollector warnings = new FaultCollector();
  private final boolean coordination;
  private @Nullable Runnable root;
  private boolean rls;

  /** Whether {@code /} was added as the catch-all of rls, without being configured. */
  private boolean rest;

  private @Nullable LocatedValue<String> host;
  private @Nullable LocatedValue<Long> port;

  /** The endpoints, once all files are read. */
  private List<EndpointSpec> endpoints = List.of();

  /**
   * Creates an empty draft.
   *
   * @param coordination whether the paths of the coordination API are reserved
   */
  ConfigurationDraft(FaultCollector faultCollector, boolean coordination) {
    this.faultCollector = faultCollector;
    this.coordination = coordination;
    this.sharing = new SharingSetting(faultCollector);
    this.keyRoster = new KeyRoster(faultCollector, sharing);
  }

  /** Returns the keys and groups. */
  KeyRoster roster() {
    return keyRoster;
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
   * Builds the endpoints, and adds faults for references to missing names and for reserved paths.
   * Call it after all files.
   */
  void check() {
    Map<String, Fallback> fallbacks = fallbacks();
    endpoints = unbuilt.stream().map(each -> each.apply(fallbacks)).toList();
    if (coordination) {
      paths.forEach(
          (path, sourcePlace) -> {
            if (!rest || path.length() > 1) {
              ReservedPaths.fault(path)
                  .ifPresent(problem -> faultCollector.add(sourcePlace, problem));
            }
          });
    }
    ServedModels served = new ServedModels(endpoints);
    keyRoster.check(endpoints, served, this::warn);
    checkFallbacks(served, fallbacks);
    checkCalls();
  }

  FaultCollector faults() {
    return faultCollector;
  }

  @Override
  public void fault(SourcePlace sourcePlace, String message) {
    faultCollector.add(sourcePlace, message);
  }

  @Override
  public boolean full() {
    return faultCollector.full();
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
  void listen(FileSection server) {
    host = same(host, server.get(RlsCompatibility.HOST), "server.host");
    port = same(port, server.get(RlsCompatibility.PORT), "server.port");
  }

  private <T> @Nullable LocatedValue<T> same(
      @Nullable LocatedValue<T> first, @Nullable LocatedValue<T> second, String name) {
    if (first != null && second != null && !first.value().equals(second.value())) {
      faultCollector.add(
          second.place(),
          "%s is %s, but %s at %s, expected the same"
              .formatted(name, second.value(), first.value(), first.place()));
    }
    return first == null ? second : first;
  }

  /** Notes the path of an endpoint; a second endpoint with the same path is a fault. */
  void path(String path, SourcePlace sourcePlace) {
    SourcePlace first = paths.putIfAbsent(path, sourcePlace);
    if (first != null) {
      faultCollector.add(
          sourcePlace,
          "path " + ScalarValue.quote(path) + " is taken at " + first + ", expected another");
    }
  }

  /** Notes an upstream; a different one with the same id is a fault. */
  void upstream(EffectiveValues upstream) {
    String id = upstream.get(UpstreamSettings.ID);
    EffectiveValues first = upstreams.putIfAbsent(id, upstream);
    if (first == null) {
      return;
    }
    List<String> differences = UpstreamSettings.differences(first, upstream);
    if (!differences.isEmpty()) {
      faultCollector.add(
          upstream.place(UpstreamSettings.ID),
          "upstream '%s' differs from the one at %s in %s, expected the same or another id"
              .formatted(id, first.place(UpstreamSettings.ID), String.join(", ", differences)));
    }
  }

  /** Notes the settings of a model; a second section for the same model is a fault. */
  void model(String name, FileSection fileSection, SourcePlace sourcePlace) {
    EffectiveValues effectiveValues = EffectiveValues.of(ModelSettings.TABLE, fileSection);
    Fallback fallback =
        new Fallback(
            effectiveValues.get(ModelSettings.FALLBACK),
            effectiveValues.get(ModelSettings.FALLBACK_AFTER));
    LocatedValue<Fallback> first =
        models.putIfAbsent(name, new LocatedValue<>(fallback, sourcePlace));
    if (first != null) {
      faultCollector.add(
          sourcePlace,
          "model %s is there at %s already, expected it once"
              .formatted(ScalarValue.quote(name), first.place()));
    }
    sharing.note(LimitId.Kind.MODEL, name, effectiveValues);
    ConfigurationSnapshot.Model model = ModelSettings.model(effectiveValues);
    if (!model.isEmpty()) {
      statedModels.put(name, model);
    }
    if (fallback.models().contains(name)) {
      faultCollector.add(
          effectiveValues.place(ModelSettings.FALLBACK),
          "model " + ScalarValue.quote(name) + " falls back to itself, expected others");
    }
  }

  private void checkFallbacks(ServedModels served, Map<String, Fallback> fallbacks) {
    new TreeMap<>(fallbacks)
        .forEach(
            (model, fallback) ->
                fallback.models().stream()
                    .flatMap(other -> served.problem(other).stream())
                    .forEach(problem -> warn(placeOfModel(model), "fallback: " + problem)));
    for (List<String> circle : FallbackCircles.in(fallbacks)) {
      warn(
          placeOfModel(circle.getFirst()),
          "fallbacks go in a circle (%s), so requests for each model use up the quota of the next,"
                  .formatted(String.join(" to ", circle))
              + " expected one of them without fallback");
    }
  }

  private void checkCalls() {
    UnlimitedCalls unlimited = new UnlimitedCalls(keyRoster, statedModels, providers);
    for (EndpointSpec each : endpoints) {
      SourcePlace place = paths.get(each.path());
      if (place != null) {
        unlimited.of(each).ifPresent(problem -> warn(place, problem));
      }
    }
  }

  private SourcePlace placeOfModel(String name) {
    return Objects.requireNonNull(models.get(name)).place();
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

  @Override
  public void variables(List<String> names) {
    variables.addAll(names);
  }

  /** Adds an endpoint, which is built from the fallback models of all files. */
  void endpoint(Function<Map<String, Fallback>, EndpointSpec> endpoint) {
    unbuilt.add(endpoint);
  }

  @Override
  public void warn(SourcePlace sourcePlace, String message) {
    warnings.add(sourcePlace, message);
  }

  boolean empty() {
    return paths.isEmpty();
  }

  ConfigurationSnapshot finish() {
    ConfigurationSnapshot.Server server =
        new ConfigurationSnapshot.Server(
            host == null ? null : host.value(),
            port == null ? null : Math.toIntExact(port.value()));
    return new ConfigurationSnapshot(
        endpoints.stream().sorted(Comparator.comparing(EndpointSpec::path)).toList(),
        rls ? server : null,
        keyRoster.keys(),
        keyRoster.groups(),
        statedModels,
        List.copyOf(providers),
        sharing.terms(),
        variables,
        warnings.sorted().stream().map(ConfigurationFault::toString).toList());
  }
}
