package io.penstock.cli;

import io.penstock.config.ConfigurationFault;
import io.penstock.config.ConfigurationSnapshot;
import io.penstock.config.LoadedConfiguration;
import io.penstock.config.RouteFiles;
import io.penstock.config.RouteText;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Checks the routes and prints one line for each fault. */
@Command(
    name = "check",
    description = "Read the routes and exit 0, or 2 with one line a fault.",
    mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {
  private static final int GOOD = 0;
  private static final int FAULTY = 2;

  private final RouteFiles files;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--routes",
      paramLabel = "DIR_OR_FILE",
      description = "Route file, or directory of route files (default: ${DEFAULT-VALUE}).")
  private Path routes = Path.of("routes");

  @Option(names = "--print", description = "Print the resolved configuration, secrets masked.")
  private boolean print;

  @Option(names = "--schema", description = "Print the JSON Schema of route files, and only that.")
  private boolean schema;

  @Option(
      names = "--penstock.coordination.enabled",
      arity = "0..1",
      fallbackValue = "true",
      description = "Whether the coordination API is on, which takes paths of its own.")
  private boolean coordination;

  CheckCommand(Map<String, String> environment, Consumer<URI> addressCheck) {
    this.files = new RouteFiles(environment, addressCheck);
    this.coordination =
        Boolean.parseBoolean(environment.getOrDefault("PENSTOCK_COORDINATION_ENABLED", ""));
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    PrintWriter out = line.getOut();
    PrintWriter err = line.getErr();
    int exit = schema ? schema(out) : check(out, err);
    out.flush();
    err.flush();
    return exit;
  }

  private static int schema(PrintWriter out) {
    out.println(RouteText.schema());
    return GOOD;
  }

  private int check(PrintWriter out, PrintWriter err) {
    RouteFiles reader = coordination ? files.withCoordination() : files;
    return switch (reader.load(routes)) {
      case LoadedConfiguration.Good(ConfigurationSnapshot snapshot) -> {
        snapshot.warnings().forEach(warning -> err.println("warning: " + warning));
        out.print(print ? RouteText.yaml(snapshot) : summary(snapshot));
        yield GOOD;
      }
      case LoadedConfiguration.Bad bad -> {
        bad.faults().stream().map(ConfigurationFault::toString).forEach(err::println);
        yield FAULTY;
      }
    };
  }

  private String summary(ConfigurationSnapshot snapshot) {
    int endpoints = snapshot.endpoints().size();
    return "%s: %d endpoint%s, no faults%n".formatted(routes, endpoints, endpoints == 1 ? "" : "s");
  }
}
