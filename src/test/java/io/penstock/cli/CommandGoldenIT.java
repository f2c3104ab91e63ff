package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.ServeCommand;
import io.penstock.config.ProgramVersion;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.GoldenGateway;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.StableText;
import io.penstock.fake.Transcript;
import io.penstock.mock.MockAddress;
import io.penstock.time.WallClock;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Compares the output and the exit codes of the program's commands with records. */
@Tag(GoldenRecords.TAG)
class CommandGoldenIT {
  private static final String TOKEN = "an-operators-token";

  private static final String EVERYTHING =
      """
      defaults: {max_queue_size: 7}
      providers: [openai, local]
      models:
        m: {rpm: 5, fallback: [n], price_per_mtok: {input: 1.5, output: 2}}
      groups: [{name: team, rpm: 100, budget_tokens_per_month: 1000000}]
      keys:
        - name: alice
          sha256: SHA(alice)
          rpm: 60
          allowed_models: [m]
          group: team
          expires_at: 2099-01-31
      endpoints:
        - path: /chat
          dialect: openai
          heartbeat_seconds: 15
          upstreams:
            - id: up
              url: mock://openai?tokens=4
              api_key: hunter2
              headers: {X-Team: blue}
              models: {fast: own-1, slow: own-2}
              limits: [{models: [own-1, own-2], rpm: 600, tpm: 100000}]
        - {path: /permit, rate: 2, unit: rpm, scheduler: priority}
        - {path: /window, algorithm: token_window, tokens_per_window: 100, window_seconds: 60}
        - {path: /fair, algorithm: sliding_window, rate: 5, window_seconds: 10, scheduler: fair}
      """;

  /** How long a request has waited, in words. */
  private static final Pattern WAIT =
      Pattern.compile("\\b(for|after|key_rpm,) (?:\\d+ms|\\d+\\.\\ds)\\b");

  @TempDir private Path directory;
  private final StringBuilder record = new StringBuilder();

  private StableText stable() {
    return new StableText(Instant.ofEpochMilli(WallClock.system().unixMillis()))
        .name(directory.toString(), "DIRECTORY")
        .name(ProgramVersion.running().text(), "penstock development (Java VERSION)")
        .name(System.getProperty("java.version"), "VERSION");
  }

  /**
   * Runs a command, and adds its output to the record; the lines of the error output are marked.
   */
  private void run(StableText stable, Map<String, String> environment, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    ServeCommand serve = new ServeCommand(environment);
    CommandLine line =
        PenstockCommands.commandLine(environment, MockAddress::parse, () -> Instant.EPOCH, serve);
    line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    int exit = line.execute(PenstockCommands.withDefault(arguments));
    serve.stop();
    assertThat(serve.running()).as("a server runs: %s", List.of(arguments)).isFalse();
    record.append("$ penstock ").append(stable.of(String.join(" ", arguments))).append("\n");
    record.append(WAIT.matcher(stable.of(out.toString())).replaceAll("$1 <time>"));
    stable.of(err.toString()).lines().forEach(each -> record.append("2> " + each + "\n"));
    record.append("exit ").append(exit).append("\n\n");
  }

  private void check(String name) {
    GoldenRecords.check("command/" + name + ".txt", record.toString());
  }

  @Test
  void usage() {
    run(stable(), Map.of(), "--help");
    for (String command :
        List.of(
            "serve", "check", "top", "status", "why", "usage", "pause", "resume", "keys", "migrate",
            "version")) {
      run(stable(), Map.of(), command, "--help");
    }
    for (String command :
        List.of("new", "list", "show", "update", "rotate", "reset-budget", "revoke")) {
      run(stable(), Map.of(), "keys", command, "--help");
    }
    check("usage");
  }

  @Test
  void wordsThatAreWrong() {
    run(stable(), Map.of(), "chek");
    run(stable(), Map.of(), "check", "--rotes", "x");
    run(stable(), Map.of(), "check", "stray");
    run(stable(), Map.of(), "serve", "stray");
    run(stable(), Map.of(), "serve", "--port", "many");
    run(stable(), Map.of(), "keys");
    run(stable(), Map.of(), "keys", "nw");
    run(stable(), Map.of(), "keys", "new");
    run(stable(), Map.of(), "keys", "show");
    run(stable(), Map.of(), "keys", "new", "--name=a", "--rpm=many");
    run(stable(), Map.of(), "keys", "new", "--name=a", "--model-rpm=m");
    run(stable(), Map.of(), "keys", "new", "--name=a", "--budgt=5");
    run(stable(), Map.of(), "keys", "update", "a");
    run(stable(), Map.of(), "keys", "update", "a", "--max-priority=high");
    run(stable(), Map.of(), "migrate", "a.yaml");
    run(stable(), Map.of(), "keys", "list", "--attach=localhost");
    run(stable(), Map.of(), "top", "--once", "--attach=ftp://h");
    run(stable(), Map.of(), "status", "--attach=ftp://h");
    run(stable(), Map.of(), "why");
    run(stable(), Map.of(), "usage", "--by");
    check("wrong-words");
  }

  @Test
  void version() {
    run(stable(), Map.of(), "version");
    run(stable(), Map.of(), "--version");
    check("version");
  }

  @Test
  void checkedConfiguration() throws Exception {
    Files.writeString(directory.resolve("a.yaml"), GoldenGateway.hashed(EVERYTHING));
    run(stable(), Map.of(), "check", "--routes", directory.toString());
    run(stable(), Map.of(), "check", "--print", "--routes", directory.toString());
    check("check-print");
  }

  @Test
  void shippedRoutes() {
    run(stable(), Map.of(), "check", "--routes", "routes");
    run(stable(), Map.of(), "check", "--print");
    check("check-shipped");
  }

  @Test
  void shippedRecipe() {
    String hash = "0".repeat(64);
    Map<String, String> environment =
        Map.of("ENGINEER_1_SHA256", hash, "ENGINEER_2_SHA256", hash.replace('0', '1'));
    run(stable(), environment, "check", "--routes", "routes/recipes/agents.yaml");
    run(stable(), Map.of(), "check", "--routes", "routes/recipes/agents.yaml");
    check("check-recipe");
  }

  @Test
  void schema() {
    run(stable(), Map.of(), "check", "--schema");
    check("check-schema");
  }

  @Test
  void serverThatDoesNotStart() throws Exception {
    Path bad = Files.writeString(directory.resolve("bad.yaml"), "endpoints: [{pat: /a}]\n");
    Path good = Files.writeString(directory.resolve("good.yaml"), "endpoints: [{path: /a}]\n");
    run(stable(), Map.of(), "serve", "--routes", bad.toString());
    run(stable(), Map.of(), "serve", "--routes", directory.resolve("none").toString());
    String routes = "--routes=" + good;
    String[] refused = {
      "--host=0.0.0.0",
      "--penstock.keys.stor=file:keys.db",
      "--penstock.drain-timeout=soon",
      "--penstock.redis.url=x",
      "--penstock.log.format=xml",
      "--penstock.log.access=2",
      "--penstock.coordination.enabled=maybe",
      "--penstock.state.file=" + bad
    };
    for (String argument : refused) {
      run(stable(), Map.of(), "serve", routes, argument);
    }
    check("serve-refused");
  }

  @Test
  void migration() throws Exception {
    Path yaml = directory.resolve("state.yaml");
    Files.writeString(
        yaml,
        """
        quotas:
          m: {max_rpm: 5, max_tpm: 100, max_rpd: 0}
        state:
          m:
            requests: [1700000000000000000]
            tokens: [{time: 1700000000000000000, count: 7}]
            day_start: 1700000000000000000
            day_count: 3
        """);
    String database = directory.resolve("state.db").toString();
    run(stable(), Map.of(), "migrate", yaml.toString(), database);
    run(stable(), Map.of(), "migrate", yaml.toString(), database);
    run(stable(), Map.of(), "migrate", directory.resolve("none.yaml").toString(), database);
    Files.writeString(yaml, "quotas: [");
    run(stable(), Map.of(), "migrate", yaml.toString(), database);
    run(stable(), Map.of(), "migrate", database, yaml.toString());
    check("migrate");
  }

  @Test
  void statusWhyAndUsage() {
    String routes =
        """
        models: {m: {price_per_mtok: {input: 1, output: 2}}}
        groups: [{name: team, rpm: 100}]
        keys:
          - {name: alice, sha256: SHA(alice), rpm: 1, on_limit: reject, group: team}
          - {name: bob, sha256: SHA(bob), group: team}
        endpoints:
          - path: /chat
            dialect: openai
            upstreams: [{id: up, url: "mock://openai?tokens=4", rpm: 600}]
          - {path: /held, rate: 1000}
          - path: /off
            dialect: openai
            upstreams: [{id: closed, url: "https://example.invalid", api_key: "${NOT_SET_HERE}"}]
        """;
    try (GoldenGateway gateway =
        new GoldenGateway(directory, routes, "--penstock.operator.token=" + TOKEN)) {
      ProgramVersion program = ProgramVersion.running();
      StableText stable =
          gateway
              .stable()
              .name(", commit " + program.commit() + " of " + program.commitTime(), "")
              .name(program.java(), "VERSION");
      Map<String, String> token = Map.of("PENSTOCK_OPERATOR_TOKEN", TOKEN);
      String attach = "--attach=http://127.0.0.1:" + gateway.operatorPort();
      run(stable, token, "status", attach);
      String body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
      Transcript sent = gateway.transcript();
      for (String each : List.of("alice", "alice", "bob")) {
        sent.send(
            gateway.port(),
            "POST /chat/v1/chat/completions",
            body,
            "Content-Type: application/json",
            "x-penstock-key: " + each,
            "x-request-id: of-" + each);
      }
      gateway.endpoint("/held").pause(true);
      try (ByteSocket waits =
          gateway.parked(
              "/held", "GET /held?tokens=7", "", "x-penstock-key: bob", "x-request-id: mine-9")) {
        run(stable, token, "status", attach);
        run(stable, token, "status", "--json", attach);
        run(stable, token, "why", "mine-9", attach);
        gateway.endpoint("/held").pause(false);
        assertThat(waits.answer().status()).isEqualTo(200);
      }
      run(stable, token, "why", "of-alice", attach);
      run(stable, token, "why", "of-alice", "--json", attach);
      run(stable, token, "why", "nobodys", attach);
      String from = "--from=2026-01-01";
      String to = "--to=2099-12-31";
      run(stable, token, "usage", from, to, attach);
      run(stable, token, "usage", "--by=group,model", from, to, attach);
      run(stable, token, "usage", "--by=model", "--json", from, to, attach);
      run(stable, token, "usage", "--by=hour", attach);
      run(stable, Map.of(), "status", attach);
      run(stable, token, "status", "--attach=http://127.0.0.1:" + gateway.port());
      check("status-why-usage");
    }
  }

  @Test
  void keysAndTop() {
    String routes =
        """
        endpoints:
          - {path: /team/a, algorithm: strict, rate: 1000, unit: rps}
          - {path: /team/b, algorithm: strict, rate: 1, unit: rpm}
        """;
    try (GoldenGateway gateway =
        new GoldenGateway(
            directory,
            routes,
            "--penstock.operator.token=" + TOKEN,
            "--penstock.keys.store=file:" + directory.resolve("keys.db"))) {
      StableText stable = gateway.stable();
      Map<String, String> token = Map.of("PENSTOCK_OPERATOR_TOKEN", TOKEN);
      String attach = "--attach=http://127.0.0.1:" + gateway.operatorPort();
      run(stable, token, "keys", "list", attach);
      run(
          stable,
          token,
          "keys",
          "new",
          "--name=alice",
          "--rpm=60",
          "--tpm=100000",
          "--rpd=1000",
          "--concurrency=4",
          "--priority=2",
          "--weight=3",
          "--models=gpt-4o,o1",
          "--expires=2099-01-31",
          attach);
      run(stable, token, "keys", "new", "--name=alice", attach);
      run(stable, token, "keys", "new", "--name=bob", "--rpm=-1", attach);
      run(stable, token, "keys", "list", attach);
      run(stable, token, "keys", "show", "alice", attach);
      run(stable, token, "keys", "show", "nobody", attach);
      run(
          stable,
          token,
          "keys",
          "update",
          "alice",
          "--rpm=unlimited",
          "--budget=1000000",
          "--endpoints=/team/a,/team/b",
          "--on-limit=wait",
          "--model-rpm=o1=5",
          "--expires=never",
          attach);
      run(stable, token, "keys", "show", "alice", attach);
      run(stable, token, "keys", "update", "alice", "--group=nobodys", attach);
      run(stable, token, "keys", "update", "nobody", "--rpm=1", attach);
      run(stable, token, "keys", "list", "--json", attach);
      run(stable, token, "keys", "show", "alice", "--json", attach);
      run(stable, token, "keys", "update", "alice", "--models=all", "--json", attach);
      run(stable, token, "keys", "new", "--name=bob", "--json", attach);
      run(stable, token, "keys", "rotate", "bob", "--json", attach);
      run(stable, token, "keys", "reset-budget", "bob", attach);
      run(stable, token, "keys", "reset-budget", "alice", attach);
      run(stable, token, "keys", "reset-budget", "alice", "--json", attach);
      run(stable, token, "keys", "revoke", "bob", "--json", attach);
      run(stable, token, "keys", "rotate", "alice", "--overlap=60", attach);
      run(stable, token, "keys", "rotate", "alice", "--overlap=0", attach);
      run(stable, token, "keys", "revoke", "alice", attach);
      run(stable, token, "keys", "revoke", "alice", attach);
      run(stable, Map.of(), "keys", "list", attach);
      run(stable, token, "keys", "list", "--attach=http://127.0.0.1:" + gateway.port());
      run(stable, token, "top", "--once", attach);
      run(stable, Map.of(), "top", "--once", "--token=other", attach);
      check("keys-and-top");
    }
  }
}
