package io.penstock.config;

import io.penstock.endpoint.LimitAlgorithm;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Reading rules for configurations of rls, a rate limiter: unknown keys only cause warnings, zero
 * and empty values mean unset, and merge keys are followed.
 */
final class RlsCompatibility {
  /** The block that identifies such a file; it holds the host and port to listen on. */
  static final String SERVER = "server";

  static final RouteSetting<String> HOST =
      RouteSetting.unset(
          "host", new WordShapes.Host(), "127.0.0.1", "Address to listen on; --host wins.");

  static final RouteSetting<Long> PORT =
      RouteSetting.unset(
          "port", new NumberShapes.Whole(1, 65_535), "8080", "Port to listen on; --port wins.");

  /** The settings of {@code server}. */
  static final List<RouteSetting<?>> SERVER_TABLE = List.of(HOST, PORT);

  /** Settings that rls has only for endpoints; in its defaults they never had an effect. */
  private static final Set<String> NO_DEFAULTS = Set.of("rate", "burst_size", "window_seconds");

  /** The settings of {@code defaults}. */
  static final List<RouteSetting<?>> DEFAULTS =
      EndpointSettings.DEFAULTS.stream().filter(s -> !NO_DEFAULTS.contains(s.name())).toList();

  private static final Set<String> FILES = Set.of("rls.yml", "rls.yaml");

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

  private static final Set<String> EMPTY_IS_UNSET =
      Set.of("host", "algorithm", "unit", "scheduler", "overflow");

  private RlsCompatibility() {}

  /** Returns whether the file is a configuration of rls, judged by its name or a server block. */
  static boolean is(String file, Optional<MappingNode> root) {
    Path name = Path.of(file).getFileName();
    Stream<NodeTuple> entries = root.stream().flatMap(node -> node.getValue().stream());
    return (name != null && FILES.contains(name.toString()))
        || entries.anyMatch(e -> YamlNodes.key(e.getKeyNode()).filter(SERVER::equals).isPresent());
  }

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
        : ZERO_IS_UNSET.contains(setting) && NumberShapes.zero(text.text());
  }

  /**
   * Returns the endpoint {@code /}, which rls has even if it is not configured, with one request a
   * second.
   */
  static FileSection root(SourcePlace place, FileSection defaults) {
    FileSection root = FileSection.empty(place);
    LocatedValue<LimitAlgorithm> algorithm = defaults.get(EndpointSettings.ALGORITHM);
    if (algorithm != null && algorithm.value() == LimitAlgorithm.TOKEN_WINDOW) {
      root.put(EndpointSettings.ALGORITHM, LimitAlgorithm.STRICT); // no window has a default length
    }
    root.put(EndpointSettings.PATH, "/");
    root.put(EndpointSettings.RATE, BigDecimal.ONE);
    root.put(EndpointSettings.UPSTREAMS, List.of());
    return root;
  }

  /**
   * Returns a rate, which rls reads as a float, rounded to nine digits, the precision of exact
   * rates.
   */
  static BigDecimal coarse(BigDecimal rate, long unitSeconds) {
    int decimals = unitSeconds == 1 ? 9 : 7;
    return rate.round(new MathContext(9, RoundingMode.HALF_UP))
        .setScale(decimals, RoundingMode.HALF_UP);
  }

  /**
   * Returns the entries of {@code node}, followed by the merged entries that it does not have
   * itself.
   */
  static List<NodeTuple> entries(MappingNode node, SourceFile source) {
    Merge merge = new Merge(source);
    merge.add(node);
    return merge.entries;
  }

  /** Follows merge keys. Visits each mapping once, because a second visit adds nothing new. */
  private static final class Merge {
    private final SourceFile source;
    private final List<NodeTuple> entries = new ArrayList<>();
    private final Set<String> keys = new HashSet<>();
    private final Set<Node> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    Merge(SourceFile source) {
      this.source = source;
    }

    private void add(MappingNode node) {
      if (!seen.add(node)) {
        return;
      }
      Set<String> before = Set.copyOf(keys);
      List<Node> merged = new ArrayList<>();
      for (NodeTuple entry : node.getValue()) {
        Optional<String> key = YamlNodes.key(entry.getKeyNode());
        if (entry.getKeyNode().getTag().equals(Tag.MERGE)) {
          merged.add(entry.getValueNode());
        } else if (key.isEmpty() || !before.contains(key.get())) {
          key.ifPresent(keys::add);
          entries.add(entry);
        }
      }
      merged.forEach(this::follow);
    }

    private void follow(Node value) {
      switch (value) {
        case MappingNode mapping -> add(mapping);
        case SequenceNode sequence when sequence.getTag().equals(Tag.SEQ) && seen.add(sequence) ->
            sequence.getValue().forEach(this::follow);
        default ->
            source.fault(
                value, "<< is " + YamlNodes.kind(value) + ", expected aliases of mappings");
      }
    }
  }
}
