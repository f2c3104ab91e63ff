package io.penstock.config;

import io.penstock.config.shape.ScalarValue;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.UpstreamSpec;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The models that the upstreams of all files serve. */
final class ServedModels {
  private final Set<String> names = new TreeSet<>();

  /** Whether every upstream lists its models, and there is one. */
  private final boolean listed;

  ServedModels(Collection<EndpointSpec> endpoints) {
    List<UpstreamSpec> upstreams =
        endpoints.stream().flatMap(endpoint -> endpoint.upstreams().stream()).toList();
    listed = !upstreams.isEmpty() && upstreams.stream().noneMatch(each -> each.models().isEmpty());
    upstreams.forEach(upstream -> names.addAll(upstream.models().keySet()));
  }

  /**
   * Returns what is wrong with a name that should be that of a model; empty if an upstream serves
   * the model, or may serve it because it takes any.
   */
  Optional<String> problem(String model) {
    String shown = "model " + ScalarValue.quote(model);
    if (model.contains("*") && !names.contains(model)) {
      return Optional.of(
          shown + " has a *, but names are compared as they stand, expected the whole name");
    }
    if (!listed || names.contains(model)) {
      return Optional.empty();
    }
    String advice =
        NearestName.nearest(model, List.copyOf(names))
            .map(near -> ", did you mean '" + near + "'?")
            .orElse(", expected one of the models of an upstream");
    return Optional.of(shown + " is served by no upstream" + advice);
  }
}
