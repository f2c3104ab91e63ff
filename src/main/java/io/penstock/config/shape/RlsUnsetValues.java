package io.penstock.config.shape;

import java.util.Set;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.Tag;

/** Empty values and zeros with which a configuration of rls leaves a setting unset. */
final class RlsUnsetValues {
  private static final Set<String> ZERO_IS_UNSET =
      Set.of(
          "port",
          "rate",
          "burst_size",
          "window_seconds",
          "tokens_per_window",
          "default_tokens",
          "max_queue_size",
          "queue_timeout",
          "latency_compensation",
          "max_dynamic_endpoints");

  private static final Pattern ZERO =
      Pattern.compile("(?=.{1,40}$)-?0(\\.0+)?([eE][+-]?[0-9]{1,3})?");

  private static final Set<String> EMPTY_IS_UNSET =
      Set.of("host", "algorithm", "unit", "scheduler", "overflow");

  private RlsUnsetValues() {}

  /** Returns whether {@code node} leaves {@code setting} unset. */
  static boolean unset(String setting, Node node, VariableExpansion variableExpansion) {
    if (node.getTag().equals(Tag.NULL)) {
      return true;
    }
    if (!(node instanceof ScalarNode scalar)
        || !(variableExpansion.expand(scalar.getValue())
            instanceof VariableExpansion.Expansion.Text text)) {
      return false;
    }
    return text.text().isEmpty()
        ? EMPTY_IS_UNSET.contains(setting)
        : ZERO_IS_UNSET.contains(setting) && ZERO.matcher(text.text()).matches();
  }
}
