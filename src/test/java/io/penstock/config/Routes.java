package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.endpoint.EndpointSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Writes route files for a test and loads them. */
final class Routes {
  private final Path directory;

  Routes(Path directory) {
    this.directory = directory;
  }

  Routes write(String name, String text) {
    return write(name, text.getBytes(StandardCharsets.UTF_8));
  }

  Routes write(String name, byte[] bytes) {
    try {
      Files.write(directory.resolve(name), bytes);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return this;
  }

  LoadedConfiguration load(Map<String, String> environment) {
    return new RouteFiles(environment, address -> {}).load(directory);
  }

  ConfigurationSnapshot good(Map<String, String> environment) {
    return switch (load(environment)) {
      case LoadedConfiguration.Good(ConfigurationSnapshot snapshot) -> snapshot;
      case LoadedConfiguration.Bad(List<ConfigurationFault> faults) ->
          throw new AssertionError("faults: " + faults);
    };
  }

  /** Returns the faults, with file names without the directory. */
  List<String> faults(Map<String, String> environment) {
    return switch (load(environment)) {
      case LoadedConfiguration.Good good -> List.of();
      case LoadedConfiguration.Bad(List<ConfigurationFault> faults) ->
          faults.stream().map(fault -> relative(fault.toString())).toList();
    };
  }

  List<String> warnings(Map<String, String> environment) {
    return good(environment).warnings().stream().map(this::relative).toList();
  }

  String relative(String text) {
    return text.replace(directory + "/", "");
  }

  /** Returns the endpoint of a file with a single endpoint, which has these lines. */
  EndpointSpec endpoint(String... lines) {
    write("a.yaml", endpointFile(lines));
    return good(Map.of()).endpoints().getFirst();
  }

  /**
   * Asserts that two configurations are equivalent; a printed configuration also states defaults,
   * has values in place of variables, and its warnings have other places.
   */
  static void assertSame(ConfigurationSnapshot one, ConfigurationSnapshot other) {
    assertThat(one)
        .usingRecursiveComparison()
        .ignoringFields("endpoints.entry.stated", "variables", "warnings")
        .withStrictTypeChecking()
        .isEqualTo(other);
  }

  static String endpointFile(String... lines) {
    return "endpoints:\n  - path: /a\n" + indented("    ", lines);
  }

  static String upstreamFile(String... lines) {
    return endpointFile("upstreams:", "  - id: u", "    url: http://u")
        + indented("        ", lines);
  }

  private static String indented(String indent, String... lines) {
    return String.join(
        "", IntStream.range(0, lines.length).mapToObj(i -> indent + lines[i] + "\n").toList());
  }
}
