package io.penstock.clients;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.RecordedEvents;
import io.penstock.fake.StartedGateway;
import io.penstock.suite.TaggedTests;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the providers' own clients for Node get answers and typed errors through the gateway,
 * from the built-in mock and from a third-party mock. A case is the name of one in {@code
 * src/test/node}, and the endpoint that it is run on.
 */
@Order(2) // takes long
@Tag(TaggedTests.FULL)
class NodeClientsIT {
  /**
   * Endpoints for each dialect: plain, one a second, one a minute with a short queue, small, and
   * slow.
   */
  private static final String OF_A_DIALECT =
      """
        - path: /D
          dialect: D
          upstreams: [{id: D, url: "mock://D?tokens=40", models: [MODELS]}]
        - path: /D/paced
          dialect: D
          upstreams: [{id: D-paced, url: "mock://D?tokens=4", rpm_limit: 60, burst_seconds: 1}]
        - path: /D/full
          dialect: D
          max_queue_size: 1
          upstreams: [{id: D-full, url: "mock://D?tokens=4", rpm_limit: 1}]
        - path: /D/small
          dialect: D
          upstreams: [{id: D-small, url: "mock://D?tokens=4", tpm_limit: 200}]
        - path: /D/slow
          dialect: D
          upstreams: [{id: D-slow, url: "mock://D?tokens=1000&tps=100"}]
        - path: /aimock/D
          dialect: D
          upstreams: [{id: aimock-D, url: "AIMOCK"}]
        - path: /metered/D
          dialect: D
          upstreams: [{id: metered-D, url: "AIMOCK"}]
        - path: /again/D
          dialect: D
          upstreams: [{id: again-D, url: "AIMOCK"}]
      """;

  /** Tokens that aimock states for each of its answers: 11 in, 7 out. */
  private static final long AIMOCK_TOKENS = 18;

  @TempDir private static Path directory;
  private static NodeScripts node;
  private static NodeScripts.Serving aimock;
  private static StartedGateway gateway;
  private static final RecordedEvents EVENTS = new RecordedEvents();

  @BeforeAll
  static void start() throws IOException {
    node = NodeScripts.installed();
    aimock = node.serve("aimock.mjs");
    String routes =
        "endpoints:\n"
            + ofADialect("openai", "gpt-4o, text-embedding-3-small")
            + ofADialect("anthropic", "claude-sonnet-4-20250514")
            + ofADialect("gemini", "gemini-2.5-flash, gemini-embedding-001");
    gateway = StartedGateway.start(directory, routes.replace("AIMOCK", aimock.url()));
    gateway.context().getBean(EventBus.class).subscribe(EVENTS);
  }

  private static String ofADialect(String dialect, String models) {
    return OF_A_DIALECT.replaceAll("\\bD\\b", dialect).replace("MODELS", models);
  }

  /** Stops the gateway, which was not started where Node is missing. */
  @AfterAll
  static void stop() {
    if (gateway != null) {
      gateway.close();
    }
    if (aimock != null) {
      aimock.close();
    }
  }

  private static Stream<DynamicTest> cases(String library, String... cases) {
    return run(library, cases).stream()
        .map(outcome -> dynamicTest(outcome.name(), outcome::assertPassed));
  }

  private static List<CaseOutcome> run(String library, String... cases) {
    return node.run(library, "http://127.0.0.1:" + gateway.port(), List.of(cases));
  }

  @TestFactory
  Stream<DynamicTest> openAi_getsAnswersAndTypedErrors() {
    return cases(
        "openai",
        "chat@/openai",
        "streamed-chat@/openai",
        "streamed-chat-with-usage@/openai",
        "embeddings@/openai",
        "unknown-model@/openai",
        "bad-request@/openai",
        "parked@/openai/paced",
        "queue-full@/openai/full",
        "too-large@/openai/small");
  }

  @TestFactory
  Stream<DynamicTest> anthropic_getsAnswersAndTypedErrors() {
    return cases(
        "anthropic",
        "message@/anthropic",
        "streamed-message@/anthropic",
        "count-tokens@/anthropic",
        "unknown-model@/anthropic",
        "bad-request@/anthropic",
        "parked@/anthropic/paced",
        "queue-full@/anthropic/full",
        "too-large@/anthropic/small");
  }

  @TestFactory
  Stream<DynamicTest> gemini_getsAnswersAndTypedErrors() {
    return cases(
        "gemini",
        "generate@/gemini",
        "streamed-generate@/gemini",
        "embed@/gemini",
        "count-tokens@/gemini",
        "unknown-model@/gemini",
        "bad-request@/gemini",
        "parked@/gemini/paced",
        "queue-full@/gemini/full",
        "too-large@/gemini/small");
  }

  @TestFactory
  Stream<DynamicTest> openAi_getsWhatAimockSays() {
    return cases(
        "openai",
        "chat@/aimock/openai",
        "streamed-chat@/aimock/openai",
        "streamed-chat-with-usage@/aimock/openai",
        "embeddings@/aimock/openai",
        "tool-call@/aimock/openai",
        "streamed-tool-call@/aimock/openai",
        "responses@/aimock/openai",
        "streamed-responses@/aimock/openai",
        "provider-error@/aimock/openai",
        "told-to-come-again@/again/openai");
  }

  @TestFactory
  Stream<DynamicTest> anthropic_getsWhatAimockSays() {
    return cases(
        "anthropic",
        "message@/aimock/anthropic",
        "streamed-message@/aimock/anthropic",
        "tool-use@/aimock/anthropic",
        "streamed-tool-use@/aimock/anthropic",
        "provider-error@/aimock/anthropic",
        "told-to-come-again@/again/anthropic");
  }

  @TestFactory
  Stream<DynamicTest> gemini_getsWhatAimockSays() {
    return cases(
        "gemini",
        "generate@/aimock/gemini",
        "streamed-generate@/aimock/gemini",
        "function-call@/aimock/gemini",
        "streamed-function-call@/aimock/gemini",
        "provider-error@/aimock/gemini",
        "told-to-come-again@/again/gemini");
  }

  @ParameterizedTest
  @CsvSource({
    "openai, 9, chat streamed-chat streamed-chat-with-usage tool-call responses streamed-responses",
    "anthropic, 5, message streamed-message tool-use streamed-tool-use",
    "gemini, 5, generate streamed-generate function-call streamed-function-call"
  })
  void usageThatAimockTells_isWhatIsSettled(String library, int calls, String names) {
    String path = "/metered/" + library;
    String[] cases =
        Arrays.stream(names.split(" ")).map(name -> name + "@" + path).toArray(String[]::new);
    assertThat(run(library, cases)).allSatisfy(CaseOutcome::assertPassed);
    await().untilAsserted(() -> assertThat(settled(path)).hasSize(calls));
    assertThat(settled(path)).containsOnly(AIMOCK_TOKENS);
  }

  private static List<Long> settled(String path) {
    return EVENTS.of(Event.Settled.class).stream()
        .filter(event -> event.endpoint().equals(path))
        .map(Event.Settled::usedTokens)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"openai", "anthropic", "gemini"})
  void givenUpMidStream_isSeenAsCancelled(String library) {
    String path = "/" + library + "/slow";
    assertThat(run(library, "abort@" + path)).allSatisfy(CaseOutcome::assertPassed);
    await()
        .untilAsserted(
            () ->
                assertThat(gateway.operator("GET /endpoints?path=" + path))
                    .contains("\"served\":0,", "\"cancelled\":1,"));
    assertThat(EVENTS.of(Event.Cancelled.class))
        .filteredOn(event -> event.endpoint().equals(path))
        .hasSize(1);
  }
}
