package io.penstock.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/**
 * Manages API keys of a running gateway through its operator port. Only secrets go to the standard
 * output; all messages about them go to standard error.
 */
@Command(
    name = "keys",
    description = "Make, list, show, rotate and revoke API keys of a running gateway.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
final class KeysCommand {
  private static final int GOOD = 0;
  private static final int FAILED = 1;
  private static final int FAULTY = 2;

  private interface Task {
    void run(OperatorClient client, PrintWriter out, PrintWriter err) throws OperatorClient.Failed;
  }

  @Spec private @Nullable CommandSpec spec;

  private KeysCommand() {}

  /** Returns the command, ready to be added to a command line. */
  static CommandLine line(Map<String, String> environment) {
    return new CommandLine(new KeysCommand(), new Mixins(environment));
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

  private int run(OperatorClient client, Task task) {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    PrintWriter out = line.getOut();
    PrintWriter err = line.getErr();
    try {
      task.run(client, out, err);
      return GOOD;
    } catch (OperatorClient.Failed failed) {
      err.println(failed.getMessage());
      return failed.asked() ? FAULTY : FAILED;
    } finally {
      out.flush();
      err.flush();
    }
  }

  @Command(
      name = "new",
      description = "Make a key and print its secret, this once.",
      mixinStandardHelpOptions = true)
  int make(@Mixin OperatorClient client, @Mixin Terms terms) {
    return run(
        client,
        (to, out, err) -> {
          JsonNode made = to.ask("POST", "/keys", terms.body()).body();
          out.println(made.path("secret").asString());
          err.println("key " + terms.name + " is made; its secret is not shown again");
        });
  }

  @Command(name = "list", description = "List all keys by name.", mixinStandardHelpOptions = true)
  int list(@Mixin OperatorClient client) {
    return run(client, (to, out, err) -> list(to, out));
  }

  private static void list(OperatorClient client, PrintWriter out) throws OperatorClient.Failed {
    String after = "";
    boolean more = true;
    while (more) {
      String path = "/keys" + (after.isEmpty() ? "" : "?after=" + OperatorClient.encoded(after));
      OperatorClient.Answer page = client.ask("GET", path, null);
      if (after.isEmpty()) {
        KeyTable.head(out);
      }
      for (JsonNode key : page.body()) {
        KeyTable.row(out, key);
        after = key.path("name").asString();
      }
      more = page.more();
    }
  }

  @Command(name = "show", description = "Show what a key may do.", mixinStandardHelpOptions = true)
  int show(@Mixin OperatorClient client, @Parameters(paramLabel = "NAME") String name) {
    return run(
        client,
        (to, out, err) -> {
          for (Map.Entry<String, JsonNode> each :
              to.ask("GET", path(name), null).body().properties()) {
            out.println(each.getKey() + ": " + KeyTable.text(each.getValue()));
          }
        });
  }

  @Command(
      name = "rotate",
      description = "Give a key another secret and print it, this once.",
      mixinStandardHelpOptions = true)
  int rotate(
      @Mixin OperatorClient client,
      @Parameters(paramLabel = "NAME") String name,
      @Option(
              names = "--overlap",
              paramLabel = "SECONDS",
              defaultValue = "86400",
              description = "How long the old secret is valid too (default: ${DEFAULT-VALUE}).")
          long overlapSeconds) {
    return run(
        client,
        (to, out, err) -> {
          Map<String, Object> body = Map.of("overlap_seconds", overlapSeconds);
          JsonNode rotated = to.ask("POST", path(name) + "/rotate", body).body();
          out.println(rotated.path("secret").asString());
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
      name = "revoke",
      description = "Remove a key: its secrets are nobody's from now on.",
      mixinStandardHelpOptions = true)
  int revoke(@Mixin OperatorClient client, @Parameters(paramLabel = "NAME") String name) {
    return run(
        client,
        (to, out, err) -> {
          to.ask("DELETE", path(name), null);
          out.println("key " + name + " is revoked");
        });
  }

  private static String path(String name) {
    return "/keys/" + OperatorClient.encoded(name);
  }

  /** Options for the terms of a new key. */
  static final class Terms {
    @Option(names = "--name", required = true, description = "Its name, unique.")
    private String name = "";

    @Option(names = "--rpm", description = "Requests in any 60 s.")
    private @Nullable Long rpm;

    @Option(names = "--tpm", description = "Tokens in any 60 s.")
    private @Nullable Long tpm;

    @Option(names = "--rpd", description = "Requests a day.")
    private @Nullable Long rpd;

    @Option(names = "--concurrency", description = "Requests at the same time.")
    private @Nullable Long concurrency;

    @Option(names = "--priority", description = "Of its requests that state none.")
    private @Nullable Integer priority;

    @Option(names = "--weight", description = "Its part where shares are fair.")
    private @Nullable Integer weight;

    @Option(names = "--models", split = ",", description = "What it may use, else all.")
    private @Nullable List<String> models;

    @Option(names = "--group", description = "The group it shares limits with.")
    private @Nullable String group;

    @Option(names = "--expires", description = "An instant or a day, such as 2027-01-31.")
    private @Nullable String expires;

    private Map<String, Object> body() {
      Map<String, Object> body = new LinkedHashMap<>();
      put(body, "name", name);
      put(body, "rate_limit_rpm", rpm);
      put(body, "rate_limit_tpm", tpm);
      put(body, "rate_limit_rpd", rpd);
      put(body, "max_concurrency", concurrency);
      put(body, "priority", priority);
      put(body, "weight", weight);
      put(body, "allowed_models", models);
      put(body, "group", group);
      put(body, "expires_at", expires);
      return body;
    }

    private static void put(Map<String, Object> body, String name, @Nullable Object value) {
      if (value != null) {
        body.put(name, value);
      }
    }
  }
}
