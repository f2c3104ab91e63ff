package io.penstock.config;

import io.penstock.config.shape.FileSection;
import io.penstock.config.shape.LocatedValue;
import io.penstock.config.shape.NumberShapes;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.SourcePlace;
import io.penstock.config.shape.WordShapes;
import io.penstock.config.shape.YamlNodes;
import io.penstock.dispatch.LimitAlgorithm;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.NodeTuple;

/**
 * Rules for configurations of rls, a rate limiter: how to recognise one, which settings it may
 * have, and which endpoint it always has.
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

  private RlsCompatibility() {}

  /** Returns whether the file is a configuration of rls, judged by its name or a server block. */
  static boolean is(String file, Optional<MappingNode> root) {
    Path name = Path.of(file).getFileName();
    Stream<NodeTuple> entries = root.stream().flatMap(node -> node.getValue().stream());
    return (name != null && FILES.contains(name.toString()))
        || entries.anyMatch(e -> YamlNodes.key(e.getKeyNode()).filter(SERVER::equals).isPresent());
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
}
