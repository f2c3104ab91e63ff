package io.penstock.cli;

import io.penstock.config.ProgramVersion;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line: {@code penstock
 * [serve|check|top|status|why|usage|pause|resume|keys|migrate|version] …}.
 */
public final class PenstockCommands {
  /** The command that runs if none is named. */
  public static final String DEFAULT = "serve";

  /** The command that shows a running gateway. */
  public static final String TOP = "top";

  private static final Set<String> OF_THE_PROGRAM = Set.of("-h", "--help", "-V", "--version");

  private PenstockCommands() {}

  /**
   * Returns the command line with the commands that need no server.
   *
   * @param environment values for {@code ${NAME}} in route files
   * @param addressCheck as in {@link io.penstock.config.RouteFiles}
   */
  public static CommandLine commandLine(
      Map<String, String> environment, Consumer<URI> addressCheck) {
    CommandLine line = new CommandLine(new Program());
    line.addSubcommand(new CheckCommand(environment, addressCheck));
    return withOthers(line, environment);
  }

  private static CommandLine withOthers(CommandLine line, Map<String, String> environment) {
    line.addSubcommand(new StatusCommand(environment));
    line.addSubcommand(new WhyCommand(environment));
    line.addSubcommand(new UsageCommand(environment));
    PauseCommand.add(line, environment);
    line.addSubcommand(KeysCommand.line(environment));
    line.addSubcommand(new MigrateCommand());
    line.addSubcommand(new VersionCommand());
    return line.setParameterExceptionHandler(new ArgumentErrors());
  }

  /**
   * Returns the command line with {@code serve} and {@code top} as well.
   *
   * @param clock measures time for {@code top}
   * @param serve a picocli command; it finds unknown options, such as {@code --server.port=1}, in
   *     {@link CommandLine#getUnmatchedArguments()}
   */
  public static CommandLine commandLine(
      Map<String, String> environment,
      Consumer<URI> addressCheck,
      InstantSource clock,
      Object serve) {
    CommandLine serving = new CommandLine(serve);
    serving.setUnmatchedArgumentsAllowed(true);
    serving.setUnmatchedOptionsArePositionalParams(false);
    CommandLine line = new CommandLine(new Program());
    line.addSubcommand(DEFAULT, serving);
    line.addSubcommand(new CheckCommand(environment, addressCheck));
    line.addSubcommand(new TopCommand(environment, clock));
    return withOthers(line, environment).setExecutionStrategy(PenstockCommands::run);
  }

  /** Returns the command line with only {@link #TOP}, which starts faster. */
  public static CommandLine top(Map<String, String> environment, InstantSource clock) {
    return new CommandLine(new Program())
        .addSubcommand(new TopCommand(environment, clock))
        .setParameterExceptionHandler(new ArgumentErrors());
  }

  /** Runs the named command, after refusing arguments that no command accepts. */
  private static int run(ParseResult result) {
    ParseResult last = result;
    while (last.hasSubcommand()) {
      last = last.subcommand();
    }
    List<String> strays =
        last.unmatched().stream().filter(argument -> !argument.startsWith("--")).toList();
    if (!strays.isEmpty()) {
      throw new UnmatchedArgumentException(last.commandSpec().commandLine(), strays);
    }
    return new CommandLine.RunLast().execute(result);
  }

  /**
   * Returns {@code arguments}, preceded by {@code serve} if no command is named: if there are none,
   * or if the first is an option that is not of the program itself. Any other word is left for
   * picocli to refuse.
   */
  public static String[] withDefault(String... arguments) {
    boolean named =
        arguments.length > 0
            && (!arguments[0].startsWith("-") || OF_THE_PROGRAM.contains(arguments[0]));
    if (named) {
      return arguments;
    }
    String[] all = new String[arguments.length + 1];
    all[0] = DEFAULT;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return all;
  }

  /** The program itself, which only has commands. */
  @Command(
      name = "penstock",
      description = "Holds LLM requests until their provider has room.",
      mixinStandardHelpOptions = true,
      versionProvider = OwnVersion.class,
      synopsisSubcommandLabel = "COMMAND",
      footer = {
        "Without a command, penstock runs 'serve'. 'penstock COMMAND --help' shows its options."
      })
  private static final class Program {}

  private static final class OwnVersion implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {ProgramVersion.running().text()};
    }
  }
}
