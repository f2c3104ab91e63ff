package io.penstock.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.ShutdownHooks;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** Shows a running gateway, live or as a table. */
@Command(
    name = "top",
    description = "Watch a running gateway: who waits where, how long, and what happens.",
    mixinStandardHelpOptions = true)
final class TopCommand implements Callable<Integer> {
  private static final int GOOD = 0;
  private static final int FAILED = 1;
  private static final int FAULTY = 2;

  private final Map<String, String> environment;
  private final InstantSource clock;

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final OperatorClient client;

  @Option(names = "--once", description = "Print one table and exit.")
  private boolean once;

  TopCommand(Map<String, String> environment, InstantSource clock) {
    this.environment = environment;
    this.clock = clock;
    this.client = new OperatorClient(environment);
  }

  @Override
  public Integer call() throws InterruptedException {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    PrintWriter out = line.getOut();
    PrintWriter err = line.getErr();
    try {
      client.check();
      if (once) {
        JsonNode endpoints = client.ask("GET", "/endpoints", null).body();
        if (!endpoints.isArray()) {
          throw client.unexpected();
        }
        TopTable.print(endpoints, look(), out);
        return GOOD;
      }
      return watch(err);
    } catch (OperatorClient.Failed failed) {
      err.println(failed.getMessage());
      return failed.asked() ? FAULTY : FAILED;
    } finally {
      out.flush();
      err.flush();
    }
  }

  private int watch(PrintWriter err) throws InterruptedException {
    AtomicReference<@Nullable TerminalViewer> shown = new AtomicReference<>();
    // Registered before the terminal adds a hook of its own: hooks run in this order.
    ShutdownHooks.Task atExit =
        ShutdownHooks.add(
            () -> Optional.ofNullable(shown.get()).ifPresent(TerminalViewer::restore));
    // Uses stty: the library's native providers set a line's speed to 0, which hangs up a real
    // line.
    try (Terminal terminal =
        TerminalBuilder.builder()
            .system(true)
            .provider(TerminalBuilder.PROP_PROVIDER_EXEC)
            .dumb(false)
            .nativeSignals(true)
            .build()) {
      if (terminal.getType().startsWith(Terminal.TYPE_DUMB)) {
        return none(err);
      }
      TerminalViewer viewer = new TerminalViewer(terminal, client, look(), clock);
      shown.set(viewer);
      String trouble = viewer.run();
      if (trouble != null) {
        err.println(trouble);
      }
      return trouble == null ? GOOD : FAILED;
    } catch (IOException | IllegalStateException none) {
      return none(err);
    } finally {
      ShutdownHooks.remove(atExit);
    }
  }

  private static int none(PrintWriter err) {
    err.println("there is no terminal to draw on; penstock top --once prints a table without one");
    return FAILED;
  }

  private TerminalStyle look() {
    boolean colour = environment.getOrDefault("NO_COLOR", "").isEmpty();
    return new TerminalStyle(System.out.charset().equals(StandardCharsets.UTF_8), colour);
  }
}
