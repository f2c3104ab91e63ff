package io.penstock;

import io.penstock.config.ConfigurationFault;
import io.penstock.config.NearestName;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the gateway. A configuration it cannot run with is reported before anything is started. */
@Command(
    name = "serve",
    description = "Run the gateway; any other --property=value is a Spring property.",
    mixinStandardHelpOptions = true)
public final class ServeCommand implements Callable<Integer> {
  private static final int STARTED = 0;
  private static final int FAULTY = 2;

  /** Options of Spring Boot without a dot in their names. */
  private static final Set<String> SWITCHES = Set.of("--debug", "--trace");

  private final Map<String, String> environment;
  private @Nullable ConfigurableApplicationContext running;
  private Duration start = Duration.ZERO;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--routes",
      paramLabel = "DIR_OR_FILE",
      description = "Route file, or directory of route files (default: ${DEFAULT-VALUE}).")
  private Path routes = Path.of("routes");

  @Option(
      names = "--host",
      description = "Address to listen on (default: server.host of a route file, else 127.0.0.1).")
  private @Nullable String host;

  @Option(
      names = "--port",
      description = "Port of the gateway (default: server.port of a route file, else 8080).")
  private @Nullable Integer port;

  @Option(names = "--operator-port", description = "Port for operators (default: 8081).")
  private @Nullable Integer operatorPort;

  @Option(
      names = {"-c", "--config"},
      arity = "0..1",
      fallbackValue = "",
      hidden = true)
  private @Nullable String config;

  public ServeCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  /** Returns whether a server was started. */
  public boolean running() {
    return running != null;
  }

  /** Stops the server once it is drained, if one was started. */
  public void stop() {
    if (running != null) {
      new ShutdownDrain(running, start).run();
    }
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    List<String> strange = strangeOptions(line.getUnmatchedArguments());
    if (!strange.isEmpty()) {
      return say(line.getErr(), strange);
    }
    return switch (GatewayServer.startWarm(environment, routes, arguments(line))) {
      case GatewayServer.Started(ConfigurableApplicationContext context) -> {
        running = context;
        start = Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime());
        yield STARTED;
      }
      case GatewayServer.Faulty(List<ConfigurationFault> faults) ->
          say(line.getErr(), faults.stream().map(ConfigurationFault::toString).toList());
      case GatewayServer.Unusable(String why) -> say(line.getErr(), List.of(why));
      case GatewayServer.Unsafe(String why) -> say(line.getErr(), List.of(why));
    };
  }

  /**
   * Returns what is wrong with options that neither this command nor Spring has. Names of
   * properties have a dot; without one, only the two switches of Spring Boot and names of
   * environment variables can mean anything.
   */
  private List<String> strangeOptions(List<String> unmatched) {
    List<String> strange = new ArrayList<>();
    if (config != null) {
      strange.add(
          "--config is no option of Penstock, and nothing was started: route files are named with"
              + " --routes"
              + (config.isEmpty() ? " DIR_OR_FILE" : "=" + config)
              + ", and settings of the program stand in application.yml, in environment variables"
              + " or in arguments such as --penstock.drain-timeout=30s");
    }
    List<String> options =
        Objects.requireNonNull(spec).options().stream()
            .filter(option -> !option.hidden())
            .map(OptionSpec::longestName)
            .toList();
    for (String each : unmatched) {
      String name = each.split("=", 2)[0];
      if (name.matches("--[a-z][a-z0-9-]*") && !SWITCHES.contains(name)) {
        strange.add(
            name
                + " is no option of serve; "
                + NearestName.nearest(name, options)
                    .map(near -> "did you mean " + near + "?")
                    .orElse("serve --help lists the options"));
      }
    }
    return strange;
  }

  private static int say(PrintWriter err, List<String> lines) {
    lines.forEach(err::println);
    err.flush();
    return FAULTY;
  }

  private String[] arguments(CommandLine line) {
    List<String> all = new ArrayList<>(line.getUnmatchedArguments());
    add(all, "server.address", host);
    add(all, "server.port", port);
    add(all, "management.server.port", operatorPort);
    return all.toArray(String[]::new);
  }

  private static void add(List<String> all, String property, @Nullable Object value) {
    if (value != null) {
      all.add("--" + property + "=" + value);
    }
  }
}
