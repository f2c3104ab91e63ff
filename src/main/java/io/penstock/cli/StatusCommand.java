package io.penstock.cli;

import io.penstock.config.FigureText;
import io.penstock.config.ProgramVersion;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/** Tells in a few lines how a gateway is: for people, and by its exit code for scripts. */
@Command(
    name = "status",
    description = {
      "Show how a gateway is: version, what waits, what is refused, what is wrong.",
      "Exits with 0 if nothing is wrong, 1 if something is, and 2 if the gateway cannot be asked."
    },
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  private static final int MOST_LINES = 10;
  private static final String QUEUE_DEPTH = "queue_depth";

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final OperatorClient client;

  @Mixin private final KeysCommand.Output output = new KeysCommand.Output();

  /** The answers that the status is made of. */
  private record Answers(
      JsonNode version,
      boolean ready,
      JsonNode instance,
      List<JsonNode> refusals,
      List<JsonNode> endpoints,
      List<JsonNode> upstreams) {
    long sum(String member) {
      return endpoints.stream().mapToLong(each -> each.path(member).asLong(0)).sum();
    }

    /** Returns a sentence for each thing that is wrong. */
    List<String> wrong() {
      List<String> wrong = new ArrayList<>();
      if (!ready) {
        wrong.add("it takes no requests: it is starting or stopping");
      }
      String away = text(instance, "redis_away_since");
      if (!away.isEmpty()) {
        wrong.add("Redis has been away since " + away);
      }
      for (JsonNode each : instance.path("sync")) {
        if (!each.path("well").asBoolean(true)) {
          wrong.add(text(each, "sharing") + " limits: " + text(each, "detail"));
        }
      }
      List<String> stuck = endpoints.stream().filter(Answers::stuck).map(Answers::state).toList();
      stuck.stream().limit(MOST_LINES).forEach(wrong::add);
      if (stuck.size() > MOST_LINES) {
        wrong.add((stuck.size() - MOST_LINES) + " more endpoints let nothing go");
      }
      for (JsonNode fault : instance.path("not_applied")) {
        wrong.add("the route files on disk do not run: " + fault.asString(""));
      }
      for (JsonNode each : upstreams) {
        String health = text(each, "health");
        if (each.path("paused").asBoolean(false)) {
          wrong.add("upstream " + text(each, "id") + " is paused by an operator");
        }
        if (!health.equals("healthy")) {
          wrong.add("upstream " + text(each, "id") + " is " + health + reason(each));
        }
      }
      return wrong;
    }

    /** Returns whether an endpoint lets nothing go, for another reason than a provider's pause. */
    private static boolean stuck(JsonNode endpoint) {
      JsonNode state = endpoint.path("state");
      return switch (state.path("what").asString("open")) {
        case "open" -> false;
        case "paused" -> state.path("until").isNull();
        default -> true;
      };
    }

    private static String state(JsonNode endpoint) {
      JsonNode state = endpoint.path("state");
      String until = text(state, "until");
      return "endpoint %s is %s: %s%s"
          .formatted(
              text(endpoint, "path"),
              text(state, "what"),
              text(state, "detail"),
              until.isEmpty() ? "" : "; next try at " + until);
    }

    private static String reason(JsonNode upstream) {
      String disabled = text(upstream, "disabled_because");
      String error = text(upstream.path("last_error"), "what");
      String tried = text(upstream, "tried_at");
      return (disabled.isEmpty() ? error.isEmpty() ? "" : ": " + error : ": " + disabled)
          + (tried.isEmpty() ? "" : "; next try at " + tried);
    }
  }

  StatusCommand(Map<String, String> environment) {
    this.client = new OperatorClient(environment);
  }

  @Override
  public Integer call() {
    return GatewayCommand.run(
        spec,
        (out, err) -> {
          Answers answers =
              new Answers(
                  client.ask("GET", "/version", null).body(),
                  client.ready(),
                  client.ask("GET", "/instance", null).body(),
                  list("/refusals"),
                  list("/endpoints"),
                  list("/upstreams"));
          if (output.json()) {
            out.println(json(answers));
          } else {
            print(answers, out);
          }
          return answers.wrong().isEmpty() ? GatewayCommand.GOOD : GatewayCommand.FAILED;
        },
        failed -> GatewayCommand.FAULTY);
  }

  private List<JsonNode> list(String path) throws OperatorClient.Failed {
    JsonNode answer = client.ask("GET", path, null).body();
    if (!answer.isArray()) {
      throw client.unexpected();
    }
    List<JsonNode> all = new ArrayList<>();
    answer.forEach(all::add);
    return all;
  }

  private static ObjectNode json(Answers answers) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.set("version", answers.version());
    json.set("instance", answers.instance());
    json.put("ready", answers.ready())
        .put("waiting", answers.sum(QUEUE_DEPTH))
        .put("served", answers.sum("served"))
        .put("refused", answers.sum("refused"))
        .put("expired", answers.sum("expired"));
    json.putArray("refused_most").addAll(answers.refusals());
    ArrayNode wrong = json.putArray("wrong");
    answers.wrong().forEach(wrong::add);
    return json;
  }

  private void print(Answers answers, PrintWriter out) throws OperatorClient.Failed {
    JsonNode version = answers.version();
    out.println(
        new ProgramVersion(
                text(version, "version"),
                known(version, "commit"),
                known(version, "commit_time"),
                text(version, "java"))
            .text());
    long members = answers.instance().path("members").asLong(1);
    out.println(
        "%s since %s%s"
            .formatted(
                answers.ready() ? "takes requests" : "takes no requests; runs",
                text(answers.instance(), "started_at"),
                members > 1
                    ? ", and shares limits with "
                        + (members == 2 ? "1 other instance" : (members - 1) + " other instances")
                    : ""));
    long waiting = answers.sum(QUEUE_DEPTH);
    long oldest =
        answers.endpoints().stream()
            .mapToLong(each -> each.path("oldest_wait_ms").asLong(0))
            .max()
            .orElse(0);
    out.println(
        "%d waiting%s"
            .formatted(waiting, waiting == 0 ? "" : ", the oldest for " + FigureText.time(oldest)));
    waiting(answers.endpoints(), out);
    out.println(
        "%d served, %d refused and %d expired since it started"
            .formatted(answers.sum("served"), answers.sum("refused"), answers.sum("expired")));
    answers.refusals().stream()
        .limit(MOST_LINES)
        .forEach(
            each ->
                out.println(
                    "  %d refused in the last hour with %s, %s"
                        .formatted(
                            each.path("count").asLong(0),
                            text(each, "reason"),
                            text(each, "key").isEmpty()
                                ? "without a key"
                                : "of key " + text(each, "key"))));
    List<String> wrong = answers.wrong();
    wrong.forEach(each -> out.println("wrong: " + each));
    if (wrong.isEmpty()) {
      out.println("nothing is wrong");
    }
  }

  /** Prints where most requests wait, and why. */
  private void waiting(List<JsonNode> endpoints, PrintWriter out) throws OperatorClient.Failed {
    List<JsonNode> most =
        endpoints.stream()
            .filter(each -> each.path(QUEUE_DEPTH).asLong(0) > 0)
            .sorted(
                Comparator.comparingLong((JsonNode each) -> each.path(QUEUE_DEPTH).asLong(0))
                    .reversed())
            .limit(MOST_LINES)
            .toList();
    for (JsonNode each : most) {
      String path = each.path("path").asString("");
      out.println(
          "  %d waiting at %s"
              .formatted(each.path(QUEUE_DEPTH).asLong(0), GatewayCommand.harmless(path)));
      reasons(path).forEach(reason -> out.println("    " + because(reason)));
    }
  }

  /** Returns why requests wait at an endpoint; none if it has been removed meanwhile. */
  private JsonNode reasons(String path) throws OperatorClient.Failed {
    try {
      String where = "/endpoints/waiting?path=" + OperatorClient.encoded(path);
      return client.ask("GET", where, null).body().path("reasons");
    } catch (OperatorClient.Failed failed) {
      if (failed.missing()) {
        return MissingNode.getInstance();
      }
      throw failed;
    }
  }

  private static String because(JsonNode reason) {
    String until = text(reason, "until");
    return "%d: %s%s"
        .formatted(
            reason.path("count").asLong(0),
            text(reason, "detail"),
            until.isEmpty() ? "" : ", until " + until);
  }

  private static @Nullable String known(JsonNode of, String member) {
    return of.path(member).isString() ? text(of, member) : null;
  }

  private static String text(JsonNode of, String member) {
    return GatewayCommand.harmless(of.path(member).asString(""));
  }
}
