package io.penstock.config;

import io.penstock.cost.AllowedCalls;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.key.GroupSpec;
import io.penstock.key.KeySpec;
import io.penstock.pool.UpstreamSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds endpoints that pass all calls on although tokens are limited: those that are not weighed
 * use none of the tokens. An endpoint that says which calls it passes was thought of, and mocks
 * cost nothing.
 */
final class UnlimitedCalls {
  private static final int MOST_NAMED = 2;

  private final List<String> general = new ArrayList<>();

  /**
   * @param models settings of models, by name
   * @param providers the providers whose quotas apply
   */
  UnlimitedCalls(
      KeyRoster roster, Map<String, ConfigurationSnapshot.Model> models, Set<String> providers) {
    for (KeySpec each : roster.keys()) {
      if (each.terms().scope().calls().permitUnweighed() && limitsTokens(each)) {
        general.add("key '" + each.name() + "'");
      }
    }
    for (GroupSpec each : roster.groups()) {
      if (each.tpm() > 0 || each.budgetTokensPerDay() > 0 || each.budgetTokensPerMonth() > 0) {
        general.add("group '" + each.name() + "'");
      }
    }
    new TreeMap<>(models)
        .forEach(
            (name, model) -> {
              if (model.limits() != null && model.limits().tpm() > 0) {
                general.add("model '" + name + "'");
              }
            });
    providers.stream()
        .filter(each -> !each.equals("local"))
        .forEach(each -> general.add("the quotas of provider " + each));
  }

  private static boolean limitsTokens(KeySpec key) {
    return key.terms().limits().tpm() > 0
        || key.terms().limits().budgetTokensPerDay() > 0
        || key.terms().models().values().stream().anyMatch(each -> each.tpm() > 0);
  }

  /** Returns the warning about an endpoint, or nothing. */
  Optional<String> of(EndpointSpec endpoint) {
    List<UpstreamSpec> real =
        endpoint.upstreams().stream().filter(UnlimitedCalls::costsSomething).toList();
    boolean passes = endpoint.forwarding().calls().equals(AllowedCalls.ALL);
    if (!passes || real.isEmpty() || !endpoint.reading().dialect().readsBodies()) {
      return Optional.empty();
    }
    List<String> limiting = new ArrayList<>();
    if (endpoint.algorithm() == LimitAlgorithm.TOKEN_WINDOW) {
      limiting.add("tokens_per_window");
    }
    real.stream()
        .filter(each -> each.budget().limitsTokens())
        .forEach(each -> limiting.add("upstream '" + each.id() + "'"));
    limiting.addAll(general);
    return limiting.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "calls is all: calls whose tokens are not counted, such as files and audio, pass by the"
                + " limits of tokens of "
                + named(limiting)
                + "; expected calls: weighed, or a list of the calls that may pass");
  }

  private static boolean costsSomething(UpstreamSpec upstream) {
    return upstream.access().disabledBecause() == null
        && !upstream.url().getScheme().equals("mock");
  }

  private static String named(Collection<String> limiting) {
    List<String> all = List.copyOf(limiting);
    String first = String.join(", ", all.subList(0, Math.min(MOST_NAMED, all.size())));
    int others = all.size() - MOST_NAMED;
    return others <= 0 ? first : first + " and " + others + (others == 1 ? " other" : " others");
  }
}
