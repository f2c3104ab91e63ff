package io.penstock.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.MissingNode;

/**
 * Manages API keys of a running gateway through its operator port. A command that makes a secret
 * prints nothing else to the standard output; its messages go to standard error.
 */
@Command(
    name = "keys",
    description =
        "Make, list, show, change, rotate, reset and revoke API keys of a running gateway.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
final class KeysCommand {
  private static final String KEYS = "/keys";
  private static final String NAME = "NAME";
  private static final String NEW = "new";
  private static final String UPDATE = "update";
  private static final String SECRET = "secret";

  private interface Task {
    void run(OperatorClient client, PrintWriter out, PrintWriter err) throws OperatorClient.Failed;
  }

  @Spec private @Nullable CommandSpec spec;

  private KeysCommand() {}

  /** Returns the command, ready to be added to a command line. */
  static CommandLine line(Map<String, String> environment) {
    CommandLine line = new CommandLine(new KeysCommand(), new Mixins(environment));
    List.of(NEW, UPDATE).forEach(name -> KeyOptions.add(command(line, name)));
    return line;
  }

  /** Creates shared options with the environment from which they take defaults. */
  private record Mixins(Map<String, String> environment) implements CommandLine.IFactory {
    @Override
    public <K> K create(Class<K> type) throws Exception {
      return type == OperatorClient.class
          ? type.cast(new OperatorClient(environment))
          : CommandLine.defaultFactory().create(type);
    }
  }

  private static CommandSpec command(CommandLine line, String name) {
    return Objects.requireNonNull(line.getSubcommands().get(name)).getCommandSpec();
  }

  private KeyOptions options(String name) {
    return new KeyOptions(command(Objects.requireNonNull(spec).commandLine(), name));
  }

  private int run(OperatorClient client, Task task) {
    return GatewayCommand.run(
        spec,
        (out, err) -> {
          task.run(client, out, err);
          return GatewayCommand.GOOD;
        });
  }

  @Command(
      name = NEW,
      description = "Make a key and print its secret, this once.",
      mixinStandardHelpOptions = true)
  int make(
      @Mixin OperatorClient client,
      @Option(
              names = "--name",
              paramLabel = "NAME",
              required = true,
              description = "Its name, unique.")
          String name,
      @Option(
              names = "--sha256",
              paramLabel = "DIGEST",
              description =
                  "SHA-256 of a secret that you have made; the gateway makes no other then.")
          @Nullable String sha256,
      @Mixin Output output) {
    return run(
        client,
        (to, out, err) -> {
          Map<String, @Nullable Object> body = new LinkedHashMap<>();
          body.put("name", name);
          if (sha256 != null) {
            body.put("sha256", sha256);
          }
          body.putAll(options(NEW).terms(MissingNode.getInstance()));
          JsonNode made = to.ask("POST", KEYS, body).body();
          if (output.json) {
            out.println(made);
          } else if (made.path(SECRET).isString()) {
            out.println(made.path(SECRET).stringValue());
          }
          err.println(
              sha256 == null
                  ? "key " + name + " is made; its secret is not shown again"
                  : "key " + name + " is made, for the secret that you have");
        });
  }

  @Command(
      name = "list",
      description = {
        "List all keys by name.",
        "LAST USED is what the instance that answers has seen since its start."
      },
      mixinStandardHelpOptions = true)
  int list(@Mixin OperatorClient client, @Mixin Output output) {
    return run(
        client,
        (to, out, err) -> {
          List<JsonNode> keys = all(to);
          if (output.json) {
            out.println(JsonNodeFactory.instance.arrayNode().addAll(keys));
            return;
          }
          KeyTable table = new KeyTable();
          keys.forEach(table::add);
          table.print(out);
        });
  }

  /** Returns all keys, page by page. */
  private static List<JsonNode> all(OperatorClient client) throws OperatorClient.Failed {
    List<JsonNode> keys = new ArrayList<>();
    String path = KEYS;
    boolean more = true;
    while (more) {
      OperatorClient.Answer page = client.ask("GET", path, null);
      if (!page.body().isArray()) {
        throw client.unexpected();
      }
      page.body().forEach(keys::add);
      more = page.more() && !page.body().isEmpty();
      path =
          more
              ? KEYS + "?after=" + OperatorClient.encoded(keys.getLast().path("name").asString())
              : path;
    }
    return keys;
  }

  @Command(
      name = "show",
      description = "Show the terms of a key and the use of its limits.",
      mixinStandardHelpOptions = true)
  int show(
      @Mixin OperatorClient client,
      @Parameters(paramLabel = NAME) String name,
      @Mixin Output output) {
    return run(
        client,
        (to, out, err) -> {
          JsonNode key = to.ask("GET", path(name), null).body();
          if (output.json) {
            out.println(key);
          } else {
            KeyDetails.print(key, out);
          }
        });
  }

  @Command(
      name = UPDATE,
      description = {
        "Change the terms of a key that are named; the others stay as they are.",
        "The words 'unlimited', 'all', 'none', 'never' and 'default' take a term away."
      },
      mixinStandardHelpOptions = true)
  int update(
      @Mixin OperatorClient client,
      @Parameters(paramLabel = NAME) String name,
      @Mixin Output output) {
    return run(
        client,
        (to, out, err) -> {
          KeyOptions options = options(UPDATE);
          JsonNode known =
              options.limitsModels()
                  ? to.ask("GET", path(name), null).body().path("models")
                  : MissingNode.getInstance();
          Map<String, @Nullable Object> terms = options.terms(known);
          if (terms.isEmpty()) {
            throw new OperatorClient.Failed(
                OperatorClient.Kind.WRONG_REQUEST,
                "no term is named that would change, expected one such as --rpm 60");
          }
          JsonNode changed = to.patch(path(name), terms).body();
          out.println(output.json ? changed : "key " + name + " is changed");
        });
  }

  @Command(
      name = "rotate",
      description = "Give a key another secret and print it, this once.",
      mixinStandardHelpOptions = true)
  int rotate(
      @Mixin OperatorClient client,
      @Parameters(paramLabel = NAME) String name,
      @Option(
              names = "--overlap",
              paramLabel = "SECONDS",
              defaultValue = "86400",
              description = "How long the old secret is valid too (default: ${DEFAULT-VALUE}).")
          long overlapSeconds,
      @Mixin Output output) {
    return run(
        client,
        (to, out, err) -> {
          Map<String, Object> body = Map.of("overlap_seconds", overlapSeconds);
          JsonNode rotated = to.ask("POST", path(name) + "/rotate", body).body();
          out.println(output.json ? rotated : rotated.path(SECRET).asString());
          JsonNode until = rotated.path("previous_secret_until");
          err.println(
              "key "
                  + name
                  + " has another secret; the old one is "
                  + (until.isString()
                      ? "valid until " + until.stringValue()
                      : "not valid any more"));
        });
  }

  @Command(
      name = "reset-budget",
      description = {
        "Give a key its daily budget back as a whole.",
        "What its running requests still use counts from then on."
      },
      mixinStandardHelpOptions = true)
  int resetBudget(
      @Mixin OperatorClient client,
      @Parameters(paramLabel = NAME) String name,
      @Mixin Consent consent,
      @Mixin Output output) {
    return run(
        client,
        (to, out, err) -> {
          consent.ask("Give key " + name + " its whole budget again?");
          JsonNode key = to.ask("POST", path(name) + "/reset-budget", null).body();
          out.println(output.json ? key : "key " + name + " has its whole budget again");
        });
  }

  @Command(
      name = "revoke",
      description = {
        "Remove a key: requests with its secrets are refused from now on, waiting ones too.",
        "Answers that run end as they would have."
      },
      mixinStandardHelpOptions = true)
  int revoke(
      @Mixin OperatorClient client,
      @Parameters(paramLabel = NAME) String name,
      @ArgGroup @Nullable Requests requests,
      @Mixin Consent consent,
      @Mixin Output output) {
    return run(
        client,
        (to, out, err) -> {
          consent.ask("Revoke key " + name + "?");
          to.ask("DELETE", path(name) + (requests == null ? "" : requests.query()), null);
          out.println(
              output.json
                  ? JsonNodeFactory.instance.objectNode().put("name", name).put("revoked", true)
                  : "key " + name + " is revoked");
        });
  }

  /** Options for the requests of a revoked key. */
  static final class Requests {
    @Option(names = "--keep-waiting", description = "Still serve requests that wait.")
    private boolean keepWaiting;

    @Option(names = "--cut", description = "Break off the answers that run, too.")
    private boolean cut;

    private String query() {
      return keepWaiting ? "?requests=keep-waiting" : cut ? "?requests=cut" : "";
    }
  }

  private static String path(String name) {
    return KEYS + "/" + OperatorClient.encoded(name);
  }

  /** The option for the form of the output. */
  static final class Output {
    @Option(
        names = "--json",
        description = "Print the gateway's answer as JSON, and nothing else, to standard output.")
    private boolean json;

    /** Returns whether the output is to be JSON. */
    boolean json() {
      return json;
    }
  }
}
