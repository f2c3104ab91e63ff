package io.penstock.clients;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.RecordedEvents;
import io.penstock.fake.StartedGateway;
import io.penstock.fake.ToolProvider;
import io.penstock.suite.TaggedTests;
import java.io.IOException;
import java.nio.file.Path;
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
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the providers' own clients for Python get answers and typed errors through the
 * gateway, from the built-in mock, and from a provider that calls tools and fills in schemas. A
 * case is the name of one in {@code src/test/python}, and the endpoint it is run on. One process
 * runs all cases side by side, since most of their time goes into importing the clients.
 */
@Order(2) // takes long
@Tag(TaggedTests.FULL)
class PythonClientsIT {
  /**
   * Endpoints for each dialect: plain, one a second, one each half minute, small, slow, and with
   * tools.
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
          upstreams: [{id: D-full, url: "mock://D?tokens=4", rpm_limit: 2, burst_seconds: 30}]
        - path: /D/small
          dialect: D
          upstreams: [{id: D-small, url: "mock://D?tokens=4", tpm_limit: 200}]
        - path: /D/slow
          dialect: D
          upstreams: [{id: D-slow, url: "mock://D?tokens=1000&tps=100"}]
        - path: /D/tools
          dialect: D
          upstreams: [{id: D-tools, url: "TOOLS"}]
      """;

  private static final List<String> CASES =
      List.of(
          "openai.chat@/openai",
          "openai.stream@/openai",
          "openai.stream-usage@/openai",
          "openai.tools@/openai/tools",
          "openai.stream-tools@/openai/tools",
          "openai.structured@/openai/tools",
          "openai.embeddings@/openai",
          "openai.parked@/openai/paced",
          "openai.queue-full@/openai/full",
          "openai.too-large@/openai/small",
          "openai.unknown-model@/openai",
          "openai.bad-request@/openai",
          "openai.given-up@/openai/slow",
          "anthropic.message@/anthropic",
          "anthropic.stream@/anthropic",
          "anthropic.async-stream@/anthropic",
          "anthropic.tools@/anthropic/tools",
          "anthropic.stream-tools@/anthropic/tools",
          "anthropic.structured@/anthropic/tools",
          "anthropic.count-tokens@/anthropic",
          "anthropic.parked@/anthropic/paced",
          "anthropic.queue-full@/anthropic/full",
          "anthropic.too-large@/anthropic/small",
          "anthropic.unknown-model@/anthropic",
          "anthropic.bad-request@/anthropic",
          "anthropic.given-up@/anthropic/slow",
          "gemini.generate@/gemini",
          "gemini.stream@/gemini",
          "gemini.async-stream@/gemini",
          "gemini.tools@/gemini/tools",
          "gemini.stream-tools@/gemini/tools",
          "gemini.structured@/gemini/tools",
          "gemini.embed@/gemini",
          "gemini.count-tokens@/gemini",
          "gemini.parked@/gemini/paced",
          "gemini.queue-full@/gemini/full",
          "gemini.too-large@/gemini/small",
          "gemini.unknown-model@/gemini",
          "gemini.bad-request@/gemini",
          "gemini.given-up@/gemini/slow");

  @TempDir private static Path directory;
  private static ToolProvider tools;
  private static StartedGateway gateway;
  private static List<CaseOutcome> outcomes;
  private static final RecordedEvents EVENTS = new RecordedEvents();

  @BeforeAll
  static void runTheCases() throws IOException {
    PythonScripts python = PythonScripts.installed();
    tools = ToolProvider.start();
    String routes =
        "endpoints:\n"
            + ofADialect("openai", "gpt-4o, text-embedding-3-small")
            + ofADialect("anthropic", "claude-sonnet-5")
            + ofADialect("gemini", "gemini-2.5-flash, gemini-embedding-001");
    gateway = StartedGateway.start(directory, routes.replace("TOOLS", tools.url()));
    gateway.context().getBean(EventBus.class).subscribe(EVENTS);
    outcomes = python.run("http://127.0.0.1:" + gateway.port(), CASES);
  }

  private static String ofADialect(String dialect, String models) {
    return OF_A_DIALECT.replaceAll("\\bD\\b", dialect).replace("MODELS", models);
  }

  /** Stops the gateway, which was not started where Python is missing. */
  @AfterAll
  static void stop() {
    if (gateway != null) {
      gateway.close();
    }
    if (tools != null) {
      tools.close();
    }
  }

  @TestFactory
  Stream<DynamicTest> clients_getAnswersAndTypedErrors() {
    return outcomes.stream().map(outcome -> dynamicTest(outcome.name(), outcome::assertPassed));
  }

  /** Makes two calls with tools, one of them streaming, and one with a schema. */
  @ParameterizedTest
  @ValueSource(strings = {"openai", "anthropic", "gemini"})
  void usageThatTheProviderStates_isWhatIsSettled(String dialect) {
    String path = "/" + dialect + "/tools";
    await().untilAsserted(() -> assertThat(settled(path)).hasSize(4));
    assertThat(settled(path)).containsOnly(ToolProvider.TOKENS);
  }

  private static List<Long> settled(String path) {
    return EVENTS.of(Event.Settled.class).stream()
        .filter(event -> event.endpoint().equals(path))
        .map(Event.Settled::usedTokens)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"openai", "anthropic", "gemini"})
  void givenUpMidStream_isSeenAsCancelled(String dialect) {
    assertCancelled("/" + dialect + "/slow", "\"served\":0,\"refused\":0,");
  }

  @ParameterizedTest
  @ValueSource(strings = {"openai", "anthropic", "gemini"})
  void givenUpWhileItWaits_isSeenAsCancelled(String dialect) {
    assertCancelled("/" + dialect + "/full", "\"served\":1,\"refused\":1,");
  }

  private static void assertCancelled(String path, String others) {
    await()
        .untilAsserted(
            () ->
                assertThat(gateway.operator("GET /endpoints?path=" + path))
                    .contains(others + "\"expired\":0,\"cancelled\":1,"));
    assertThat(EVENTS.of(Event.Cancelled.class))
        .filteredOn(event -> event.endpoint().equals(path))
        .hasSize(1);
  }
}
