package io.penstock.cli;

import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Keeps requests from an upstream or at an endpoint, or lets them go again. */
abstract class PauseCommand implements Callable<Integer> {
  /** Keeps requests back. */
  @Command(
      name = "pause",
      description = {
        "Keep requests from an upstream, or at an endpoint, until it is resumed.",
        "Requests for a paused upstream go to others, or wait; answers that run go on."
      },
      mixinStandardHelpOptions = true)
  static final class Pause extends PauseCommand {
    @Mixin private final Consent consent = new Consent();

    Pause(Map<String, String> environment) {
      super(environment, "pause", "paused");
    }

    @Override
    void ask(String what) throws OperatorClient.Failed {
      consent.ask("Pause " + what + "?");
    }
  }

  /** Lets requests go again. */
  @Command(
      name = "resume",
      description = "Let requests go to an upstream, or at an endpoint, again.",
      mixinStandardHelpOptions = true)
  static final class Resume extends PauseCommand {
    Resume(Map<String, String> environment) {
      super(environment, "resume", "resumed");
    }
  }

  /** The upstream or the endpoint. */
  static final class Subject {
    @Option(names = "--upstream", paramLabel = "ID", description = "The upstream with this id.")
    private @Nullable String upstream;

    @Option(names = "--endpoint", paramLabel = "PATH", description = "The endpoint of this path.")
    private @Nullable String endpoint;

    private String name() {
      return upstream == null ? "endpoint " + endpoint : "upstream " + upstream;
    }

    private String path(String action) {
      return upstream == null
          ? "/endpoints/" + action + "?path=" + OperatorClient.encoded(String.valueOf(endpoint))
          : "/upstreams/" + action + "?id=" + OperatorClient.encoded(upstream);
    }
  }

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final OperatorClient client;

  @ArgGroup(multiplicity = "1")
  private final Subject subject = new Subject();

  private final String action;
  private final String done;

  PauseCommand(Map<String, String> environment, String action, String done) {
    this.client = new OperatorClient(environment);
    this.action = action;
    this.done = done;
  }

  /** Adds both commands to a command line. */
  static void add(CommandLine line, Map<String, String> environment) {
    line.addSubcommand(new Pause(environment));
    line.addSubcommand(new Resume(environment));
  }

  /** Asks whether the user wants it, where that is the custom; fails if not. */
  void ask(String what) throws OperatorClient.Failed {}

  @Override
  public Integer call() {
    return GatewayCommand.run(
        spec,
        (out, err) -> {
          ask(subject.name());
          client.ask("POST", subject.path(action), null);
          out.println(subject.name() + " is " + done);
          return GatewayCommand.GOOD;
        });
  }
}
