package io.penstock.clients;

import static io.penstock.fake.PatientWaits.assertNone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.penstock.dispatch.TicketFate;
import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RecordedEvents;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.StartedGateway;
import io.penstock.fake.Transcript;
import io.penstock.key.KeySecrets;
import io.penstock.suite.TaggedTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests coding agents as they come, against a gateway in front of its mock. Each case of an agent
 * prints a line with what was counted. Times are printed and never checked.
 */
@Tag(TaggedTests.AGENTS)
class AgentsIT {
  /** Endpoints of an agent. */
  private static final String OF_AN_AGENT =
      """
        - path: /ID/plain
          dialect: D
          upstreams: [{id: ID-plain, url: "mock://D?tokens=20"}]
        - path: /ID/tools
          dialect: D
          upstreams: [{id: ID-tools, url: "mock://D?tokens=20&tools=call"}]
        - path: /ID/small
          dialect: D
          upstreams: [{id: ID-small, url: "mock://D?tokens=20", tpm_limit: 200}]
        - path: /ID/spend
          dialect: D
          upstreams: [{id: ID-spend, url: "mock://D?tokens=100000"}]
        - path: /ID/waiting
          dialect: D
          upstreams: [{id: ID-waiting, url: "mock://D?tokens=20", concurrency: 1}]
        - path: /ID/silent
          dialect: D
          heartbeat_seconds: 0
          upstreams: [{id: ID-silent, url: "mock://D?tokens=20", concurrency: 1}]
      """;

  private static final String SECRET = "of-all-agents";
  private static final long BUDGET = 100_000;

  /** The first words of each answer of the mock. */
  private static final String ANSWER = "Water waits behind the gate";

  private static final String LATER = "later";

  /** Members that hold the result of a tool, in each dialect. */
  private static final List<String> RESULTS =
      List.of(
          "\"tool_result\"",
          "\"function_call_output\"",
          "\"functionResponse\"",
          "\"tool_call_id\"");

  /** How long a reason may take to be read, before it is called unread. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Agents that ask until they are stopped when a budget is used up. */
  private static final Set<CodingAgent> REPEATING =
      EnumSet.of(CodingAgent.OPENCODE, CodingAgent.AIDER, CodingAgent.QWEN_CODE);

  private static final Map<CodingAgent, String> MISSING = new EnumMap<>(CodingAgent.class);
  private static final RecordedEvents EVENTS = new RecordedEvents();

  @TempDir private static Path directory;
  private static RunningGateway gateway;

  @BeforeAll
  static void start() throws IOException {
    for (CodingAgent agent : CodingAgent.values()) {
      MISSING.put(agent, agent.missing());
    }
    String keys =
        Arrays.stream(CodingAgent.values())
            .map(agent -> key(agent.id(), "budget_tokens_per_day: " + BUDGET))
            .collect(Collectors.joining("", "keys:\n" + key(SECRET, "concurrency: 100"), ""));
    String endpoints =
        Arrays.stream(CodingAgent.values())
            .map(
                agent ->
                    OF_AN_AGENT.replace("ID", agent.id()).replaceAll("\\bD\\b", agent.dialect()))
            .collect(Collectors.joining("", "endpoints:\n", ""));
    gateway = RunningGateway.start(keys + endpoints);
    gateway.bean(EventBus.class).subscribe(EVENTS);
  }

  private static String key(String secret, String limit) {
    return "  - {name: %s, sha256: %s, %s}\n".formatted(secret, KeySecrets.sha256(secret), limit);
  }

  @AfterAll
  static void stop() {
    if (gateway != null) {
      gateway.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void plainAnswer_isShown_andItsTokensAreCounted(CodingAgent agent) throws IOException {
    try (AgentRun run = run(agent, "plain", SECRET)) {
      boolean shown = run.says(ANSWER, PatientWaits.LONGEST);
      print(agent, "a plain answer", run.asked() + ", shown after " + run.since());
      assertThat(shown).as(run.output()).isTrue();
      assertThat(run.end()).as(run.output()).isZero();
      assertThat(run.statuses()).containsOnly(200);
      run.record(agent.id() + "-plain", agent.title(), agent.dialect());
    }
    gateway.awaitBalance();
    assertThat(of(Event.Settled.class, path(agent, "plain")))
        .isNotEmpty()
        .allSatisfy(settled -> assertThat(settled.usedTokens()).isGreaterThan(20));
    assertThat(of(Event.Released.class, path(agent, "plain")))
        .allSatisfy(released -> assertThat(released.cost().inputTokens()).isPositive());
  }

  @ParameterizedTest
  @EnumSource
  void toolCall_isCarriedOut_andItsResultIsSent(CodingAgent agent) throws IOException {
    if (agent == CodingAgent.AIDER) {
      notRun(agent, "a tool call", "it offers no tools");
    }
    try (AgentRun run = run(agent, "tools", SECRET)) {
      boolean shown = run.says(ANSWER, PatientWaits.LONGEST);
      long results = run.requests().filter(AgentsIT::hasResult).count();
      print(
          agent,
          "a tool call",
          "%s, %d with a tool's result, shown after %s"
              .formatted(run.asked(), results, run.since()));
      assertThat(shown).as(run.output()).isTrue();
      assertThat(results).as(run.output()).isPositive();
      assertThat(run.statuses()).containsOnly(200);
      run.record(agent.id() + "-tools", agent.title(), agent.dialect());
    }
  }

  private static boolean hasResult(HttpMessage request) {
    return RESULTS.stream().anyMatch(request.text()::contains);
  }

  @ParameterizedTest
  @EnumSource
  void hopelessRequest_isToldAtOnce(CodingAgent agent) throws IOException {
    try (AgentRun run = run(agent, "small", SECRET)) {
      boolean read = refused(run, "a hopeless request (400)", "exceeds window capacity 200", agent);
      assertThat(read).as(run.output()).isTrue();
      assertThat(run.statuses()).containsOnly(400);
      assertThat(run.tries()).hasSizeLessThanOrEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void unknownKey_isTold(CodingAgent agent) throws IOException {
    String words = agent == CodingAgent.CLAUDE_CODE ? "Not logged in" : "key is not known";
    try (AgentRun run = run(agent, "plain", "unknown")) {
      boolean read = refused(run, "an unknown key (401)", words, agent);
      assertThat(read).as(run.output()).isTrue();
      assertThat(run.statuses()).containsOnly(401);
      assertThat(run.tries()).hasSizeLessThanOrEqualTo(agent == CodingAgent.CODEX ? 6 : 2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void usedUpBudget_stopsIt(CodingAgent agent) throws IOException {
    requireInstalled(agent, "a used-up budget");
    HttpMessage spent = ask(agent, "spend", agent.id(), "gpt-4o", BUDGET);
    assertThat(spent.status()).as(spent.text()).isEqualTo(200);
    gateway.awaitBalance();
    String words =
        switch (agent) {
          case CODEX -> "hit your usage limit";
          case GEMINI_CLI -> "exhausted your daily quota";
          default -> BUDGET + " tokens a day, next at";
        };
    try (AgentRun run = run(agent, "plain", agent.id())) {
      boolean read = refused(run, "a used-up budget (429)", words, agent);
      assertThat(run.statuses()).isNotEmpty().containsOnly(429);
      if (!REPEATING.contains(agent)) {
        assertThat(read).as(run.output()).isTrue();
        assertThat(run.tries()).hasSizeLessThanOrEqualTo(2);
        run.end();
      }
    }
  }

  /** Waits until the reason of a refusal is read, and prints when; returns whether it ever was. */
  private static boolean refused(AgentRun run, String what, String words, CodingAgent agent) {
    boolean read = run.says(words, PATIENCE);
    String until = run.asked() + (read ? ", read after " : ", not read for ") + run.since();
    boolean ended = run.ends(PATIENCE);
    print(agent, what, until + (ended ? ", then it ended" : ", and it went on"));
    return read;
  }

  /** All wait at the same time. */
  @TestFactory
  Stream<DynamicTest> wait_keepsItsPlace() {
    List<Waiting> all =
        Stream.concat(
                Arrays.stream(CodingAgent.values()).map(agent -> waiting(agent, "waiting", 70)),
                Stream.of(waiting(CodingAgent.GEMINI_CLI, "silent", 120)))
            .toList();
    return all.stream().map(each -> dynamicTest(each.name(), () -> ended(each.end())));
  }

  private record Waiting(String name, CompletableFuture<Void> end) {}

  private static Waiting waiting(CodingAgent agent, String endpoint, int seconds) {
    return new Waiting(
        agent.id() + ", " + endpoint, inBackground(() -> waits(agent, endpoint, seconds)));
  }

  private static CompletableFuture<Void> inBackground(Executable part) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                part.execute();
                end.complete(null);
              } catch (Throwable failed) {
                end.completeExceptionally(failed);
              }
            });
    return end;
  }

  /** Waits for the end of a part; fails or is skipped as it was. */
  private static void ended(CompletableFuture<Void> part) throws Throwable {
    try {
      PatientWaits.get(part);
    } catch (ExecutionException failed) {
      throw failed.getCause();
    }
  }

  private static void waits(CodingAgent agent, String endpoint, int seconds) throws Throwable {
    String path = path(agent, endpoint);
    operator("/endpoints/pause?path=" + path);
    try (AgentRun run = run(agent, endpoint, SECRET)) {
      RunningGateway.awaiting().until(() -> gateway.count(path, TicketFate.WAITING) > 0);
      CompletableFuture<Void> later =
          inBackground(
              () -> assertThat(ask(agent, endpoint, SECRET, LATER, 20).status()).isEqualTo(200));
      assertNone(run.process().status(), Duration.ofSeconds(seconds));
      operator("/endpoints/resume?path=" + path);
      boolean shown = run.says(ANSWER, PatientWaits.LONGEST);
      ended(later);
      List<String> order = released(path);
      print(
          agent,
          "a wait of " + seconds + " s" + (endpoint.equals("silent") ? " in silence" : ""),
          "%s, shown after %s, %s another that came later"
              .formatted(
                  run.asked(), run.since(), order.indexOf(LATER) > 0 ? "served before" : "AFTER"));
      assertThat(shown).as(run.output()).isTrue();
      assertThat(order).contains(LATER);
      assertThat(order.getFirst()).isNotEqualTo(LATER);
    }
  }

  /** Returns the models of an endpoint's requests, in the order in which they went. */
  private static List<String> released(String path) {
    return of(Event.Released.class, path).stream()
        .map(released -> String.valueOf(released.model()))
        .toList();
  }

  private static void operator(String request) {
    assertThat(StartedGateway.ask(gateway.operatorPort(), "POST " + request))
        .startsWith("HTTP/1.1 200");
  }

  /** Asks as no agent does: with few tokens of input and a stated maximum of output. */
  private static HttpMessage ask(
      CodingAgent agent, String endpoint, String key, String model, long most) {
    String target =
        switch (agent.dialect()) {
          case "anthropic" -> "/v1/messages";
          case "gemini" -> "/v1beta/models/" + model + ":generateContent";
          default -> "/v1/chat/completions";
        };
    String body =
        agent.dialect().equals("gemini")
            ? "{\"contents\":[{\"parts\":[{\"text\":\"Hi\"}]}],"
                + "\"generationConfig\":{\"maxOutputTokens\":"
                + most
                + "}}"
            : "{\"model\":\""
                + model
                + "\",\"max_tokens\":"
                + most
                + ",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
    try (ByteSocket socket = ByteSocket.to(gateway.port())) {
      return socket
          .send(
              Transcript.wireForm(
                  gateway.port(),
                  "POST " + path(agent, endpoint) + target,
                  body,
                  "Content-Type: application/json",
                  "x-penstock-key: " + key))
          .answer();
    }
  }

  private static String path(CodingAgent agent, String endpoint) {
    return "/" + agent.id() + "/" + endpoint;
  }

  private static <T extends Event.TicketEvent> List<T> of(Class<T> kind, String path) {
    return EVENTS.of(kind).stream().filter(event -> event.endpoint().equals(path)).toList();
  }

  private static AgentRun run(CodingAgent agent, String endpoint, String key) throws IOException {
    requireInstalled(agent, endpoint);
    Path home = Files.createTempDirectory(directory, agent.id());
    return new AgentRun(agent::start, home, gateway.port(), path(agent, endpoint), key);
  }

  private static void requireInstalled(CodingAgent agent, String what) {
    String reason = MISSING.getOrDefault(agent, "");
    if (!reason.isEmpty()) {
      notRun(agent, what, reason);
    }
  }

  private static void notRun(CodingAgent agent, String what, String reason) {
    print(agent, what, "not run: " + reason);
    Assumptions.abort(reason);
  }

  private static void print(CodingAgent agent, String what, String outcome) {
    System.out.println("agents: " + agent.title() + ", " + what + ": " + outcome);
  }
}
