package io.penstock.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RecordedEvents;
import io.penstock.fake.RunningGateway;
import io.penstock.key.KeySecrets;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.suite.TaggedTests;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests Codex with the provider that it has built in, which speaks WebSocket, against a gateway in
 * front of its mock. Each case prints a line with what was counted. Times are printed and never
 * checked.
 */
@Tag(TaggedTests.AGENTS)
class CodexWebSocketIT {
  /** The first words of each answer of the mock. */
  private static final String ANSWER = "Water waits behind the gate";

  private static final RecordedEvents EVENTS = new RecordedEvents();
  private static final int RUNS = 4;
  private static final long BUDGET = 12_000;

  @TempDir private static Path directory;
  private static String missing = "";
  private static RunningGateway gateway;

  @BeforeAll
  static void start() throws IOException {
    missing = CodingAgent.CODEX.missing();
    gateway = RunningGateway.start(routes());
    gateway.bean(EventBus.class).subscribe(EVENTS);
  }

  private static String routes() {
    return """
    keys:
      - {name: any, sha256: %s}
      - {name: small, sha256: %s, tpm: 5000, budget_tokens_per_day: 12000}
      - {name: budgeted, sha256: %s, budget_tokens_per_day: 12000}
    endpoints:
      - path: /counted
        dialect: openai
        upstreams: [{id: counted, url: "mock://openai?tokens=20", tpm: 1000000}]
      - path: /tools
        dialect: openai
        upstreams: [{id: tools, url: "mock://openai?tokens=20&tools=call"}]
      - path: /small
        dialect: openai
        upstreams: [{id: small, url: "mock://openai?tokens=20"}]
      - path: /budget
        dialect: openai
        upstreams: [{id: budget, url: "mock://openai?tokens=20"}]
    """
        .formatted(Stream.of("any", "small", "budgeted").map(KeySecrets::sha256).toArray());
  }

  @AfterAll
  static void stop() {
    if (gateway != null) {
      gateway.close();
    }
  }

  @Test
  void plainAnswer_isShown_andItsTokensAreCounted() throws IOException {
    try (AgentRun run = run("a plain answer", "/counted", "any")) {
      RunningGateway.awaiting().until(() -> charged() > 0);
      boolean shown = run.says(ANSWER, PatientWaits.LONGEST);
      String since = run.since();
      long charged = charged();
      assertThat(run.end()).as(run.output()).isZero();
      gateway.awaitBalance();
      print(
          "a plain answer",
          "%s, %d tokens settled, %d charged to its upstream's tpm then, shown after %s"
              .formatted(said(run), settled("/counted"), charged, since));
      assertThat(shown).as(run.output()).isTrue();
      assertThat(run.messages()).isNotEmpty();
      assertThat(run.tries()).as("requests beside its WebSocket").isEmpty();
      assertThat(settled("/counted")).isGreaterThan(20);
      record(run, "plain");
    }
  }

  @Test
  void toolCall_isCarriedOut_andItsResultIsSent() throws IOException {
    try (AgentRun run = run("a tool call", "/tools", "any")) {
      boolean shown = run.says(ANSWER, PatientWaits.LONGEST);
      long results =
          run.messages().stream().filter(each -> each.contains("\"function_call_output\"")).count();
      print(
          "a tool call",
          "%s, %d with a tool's result, shown after %s".formatted(said(run), results, run.since()));
      assertThat(shown).as(run.output()).isTrue();
      assertThat(results).as(run.output()).isPositive();
      record(run, "tools");
    }
  }

  private static void record(AgentRun run, String what) {
    run.record("codex-web-socket-" + what, CodingAgent.CODEX.title() + " over WebSocket", "openai");
  }

  @Test
  void hopelessRequest_isToldAtOnce() throws IOException {
    try (AgentRun run = run("a hopeless request (400)", "/small", "small")) {
      boolean read = run.says("exceeds capacity 5000", PatientWaits.LONGEST);
      String since = run.since();
      run.end();
      gateway.awaitBalance();
      print(
          "a hopeless request (400)",
          "%s, %d tokens settled, read after %s, then it ended"
              .formatted(said(run), settled("/small"), since));
      assertThat(read).as(run.output()).isTrue();
      assertThat(settled("/small")).isZero();
    }
  }

  @Test
  void budgetOfTheDay_isKept_andTheReasonIsRead() throws IOException {
    PatientWaits.awaitLongDay();
    String what = "a budget of " + BUDGET + " and " + RUNS + " runs";
    List<String> outputs = new ArrayList<>();
    int messages = 0;
    for (int at = 0; at < RUNS; at++) {
      try (AgentRun run = run(what, "/budget", "budgeted")) {
        run.end();
        run.process().awaitOutput();
        outputs.add(run.output());
        messages += run.messages().size();
      }
    }
    gateway.awaitBalance();
    long told = outputs.stream().filter(each -> each.contains("hit your usage limit")).count();
    print(
        what,
        "%d messages, %d tokens settled, %d runs were told why not"
            .formatted(messages, settled("/budget"), told));
    assertThat(settled("/budget")).isPositive().isLessThanOrEqualTo(BUDGET);
    assertThat(told).as(outputs.toString()).isPositive();
    assertThat(outputs)
        .allMatch(each -> each.contains(ANSWER) || each.contains("hit your usage limit"));
  }

  /** Returns how much it sent, in words. */
  private static String said(AgentRun run) {
    int messages = run.messages().size();
    return messages + (messages == 1 ? " message" : " messages");
  }

  private static long settled(String path) {
    return EVENTS.of(Event.Settled.class).stream()
        .filter(event -> event.endpoint().equals(path))
        .mapToLong(Event.Settled::usedTokens)
        .sum();
  }

  /** Returns the tokens that the upstream's limit counts. */
  private static long charged() {
    long now = gateway.bean(Ticker.class).nanos();
    return Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find("counted"))
        .pools()
        .values()
        .stream()
        .flatMap(pool -> pool.limits().stream())
        .mapToLong(each -> each.limit().balance(now).charged())
        .sum();
  }

  private static AgentRun run(String what, String path, String key) throws IOException {
    if (!missing.isEmpty()) {
      print(what, "not run: " + missing);
      Assumptions.abort(missing);
    }
    Path home = Files.createTempDirectory(directory, "codex");
    return new AgentRun(CodingAgent::startCodexOverWebSocket, home, gateway.port(), path, key);
  }

  private static void print(String what, String outcome) {
    System.out.println(
        "agents: " + CodingAgent.CODEX.title() + " over WebSocket, " + what + ": " + outcome);
  }
}
