package io.penstock;

import io.penstock.config.ConfigurationFault;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
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

  private final Map<String, String> environment;
  private @Nullable ConfigurableApplicationContext running;

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
      new ShutdownDrain(running).run();
    }
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    return switch (GatewayServer.start(environment, routes, arguments(line))) {
      case GatewayServer.Started(ConfigurableApplicationContext context) -> {
        running = context;
        yield STARTED;
      }
      case GatewayServer.Faulty(List<ConfigurationFault> faults) ->
          say(line.getErr(), faults.stream().map(ConfigurationFault::toString).toList());
      case GatewayServer.Unusable(String why) -> say(line.getErr(), List.of(why));
      case GatewayServer.Unsafe(String why) -> say(line.getErr(), List.of(why));
    };
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
