package io.penstock.config;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.key.GroupSpec;
import io.penstock.key.KeySpec;
import io.penstock.quota.ModelLimits;
import io.penstock.quota.SharingTerms;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A whole configuration, checked, every default filled in. Immutable.
 *
 * @param endpoints sorted by path, no path twice
 * @param server where a configuration of rls among the files wants the gateway to listen; null when
 *     none is one
 * @param keys sorted by name, no name and no secret twice
 * @param groups sorted by name; every group a key names is there
 * @param models what is said of models, by the names clients have for them
 * @param providers names of built-in profiles of model quotas
 * @param sharing how limits are shared between instances, where it is said
 * @param variables names of the environment variables that values were taken from
 * @param warnings one line each, {@code FILE:LINE:COL: text}, without secrets, 200 at most
 */
public record Snapshot(
    List<EndpointSpec> endpoints,
    @Nullable Server server,
    List<KeySpec> keys,
    List<GroupSpec> groups,
    Map<String, Model> models,
    List<String> providers,
    SharingTerms sharing,
    Set<String> variables,
    List<String> warnings) {

  /**
   * What is said of a model, besides who may serve in its place.
   *
   * @param limits its quota; null leaves it to the profiles
   * @param price of its tokens, or null when it is not known
   */
  public record Model(@Nullable ModelLimits limits, @Nullable Price price) {}

  /**
   * What tokens cost, in no currency in particular.
   *
   * @param inputPerMtok of 1,000,000 tokens of input, ≥ 0
   * @param outputPerMtok of 1,000,000 tokens of output, ≥ 0
   */
  public record Price(BigDecimal inputPerMtok, BigDecimal outputPerMtok) {}

  /**
   * Where to listen, unless arguments say otherwise.
   *
   * @param host an address or a name; null when it is not said
   * @param port 1 to 65535; null when it is not said
   */
  public record Server(@Nullable String host, @Nullable Integer port) {}

  public Snapshot {
    endpoints = List.copyOf(endpoints);
    keys = List.copyOf(keys);
    groups = List.copyOf(groups);
    models = Map.copyOf(models);
    providers = List.copyOf(providers);
    variables = Set.copyOf(variables);
    warnings = List.copyOf(warnings);
  }
}
