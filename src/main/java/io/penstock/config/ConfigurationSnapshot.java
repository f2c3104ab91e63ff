package io.penstock.config;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.key.GroupSpec;
import io.penstock.key.KeySpec;
import io.penstock.model.ModelLimits;
import io.penstock.sharing.SharingTerms;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A complete, checked configuration with all defaults filled in. Immutable.
 *
 * @param endpoints sorted by path, no path twice
 * @param server the host and port to listen on, from a configuration of rls; null if there is none
 * @param keys sorted by name, no name and no secret twice
 * @param groups sorted by name; contains every group that a key names
 * @param models settings of models, by the names that clients use
 * @param providers names of built-in profiles of model quotas
 * @param sharing how limits are shared between instances, where it is set
 * @param variables names of the environment variables that values were taken from
 * @param warnings one line each, {@code FILE:LINE:COL: text}, without secrets, 200 at most
 */
public record ConfigurationSnapshot(
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
   * The settings of a model, without its fallbacks.
   *
   * @param limits its quota; null leaves it to the profiles
   * @param price the price of its tokens, or null if unknown
   * @param contextTokens its context, ≥ 1, or null if unknown
   */
  public record Model(
      @Nullable ModelLimits limits, @Nullable Price price, @Nullable Long contextTokens) {
    boolean isEmpty() {
      return limits == null && price == null && contextTokens == null;
    }
  }

  /**
   * Prices of tokens, in an arbitrary currency.
   *
   * @param inputPerMtok of 1,000,000 tokens of input, ≥ 0
   * @param outputPerMtok of 1,000,000 tokens of output, ≥ 0
   * @param cacheReadPerMtok of 1,000,000 tokens of input read from a cache, ≥ 0; null where it is
   *     that of other input
   * @param cacheWritePerMtok of 1,000,000 tokens of input written to a cache for five minutes, ≥ 0;
   *     null where it is that of other input
   * @param cacheWriteHourPerMtok of 1,000,000 tokens of input written to a cache for one hour, ≥ 0;
   *     null where it is that of five minutes
   */
  public record Price(
      BigDecimal inputPerMtok,
      BigDecimal outputPerMtok,
      @Nullable BigDecimal cacheReadPerMtok,
      @Nullable BigDecimal cacheWritePerMtok,
      @Nullable BigDecimal cacheWriteHourPerMtok) {}

  /**
   * The host and port to listen on, unless arguments override them.
   *
   * @param host an address or a name; null if not set
   * @param port 1 to 65535; null if not set
   */
  public record Server(@Nullable String host, @Nullable Integer port) {}

  public ConfigurationSnapshot {
    endpoints = List.copyOf(endpoints);
    keys = List.copyOf(keys);
    groups = List.copyOf(groups);
    models = Map.copyOf(models);
    providers = List.copyOf(providers);
    variables = Set.copyOf(variables);
    warnings = List.copyOf(warnings);
  }
}
