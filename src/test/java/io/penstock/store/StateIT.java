package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.GatewayServer;
import io.penstock.fake.ProgramProcess;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.StartedGateway;
import io.penstock.suite.TaggedTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what a gateway remembers of the one before it. */
@Order(2) // takes long
@Tag(TaggedTests.FULL)
class StateIT {
  /** The columns of cached input. */
  private static final String CACHED =
      ",uncached_input_tokens,cache_read_tokens,cache_write_tokens,cache_write_1h_tokens";

  private static final String ROUTES =
      """
      endpoints:
        - {path: /budget, algorithm: token_window, tokens_per_window: 100, window_seconds: 3600}
        - {path: /slow, algorithm: strict, rate: 0.001}
        - path: /openai
          dialect: openai
          upstreams: [{id: m, url: "mock://openai?tokens=7", rpm_limit: 1000, rpd: 1}]
      """;

  @TempDir private Path directory;

  private StartedGateway start(String... arguments) {
    return StartedGateway.start(directory, ROUTES, arguments);
  }

  private String setting(String name) {
    return "--penstock.state.file=" + directory.resolve(name);
  }

  private static void spend(StartedGateway gateway) {
    assertThat(gateway.gateway("GET /budget?tokens=60")).startsWith("HTTP/1.1 200");
    assertThat(gateway.gateway("GET /slow")).startsWith("HTTP/1.1 200");
    assertThat(gateway.gateway("GET /openai/v1/files")).startsWith("HTTP/1.1 ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"state.yaml", "state.db"})
  void closedAndStartedAgain_findsTheBudgetUsed(String name) {
    try (StartedGateway gateway = start(setting(name))) {
      spend(gateway);
    }
    try (StartedGateway again = start(setting(name))) {
      assertThat(again.gateway("GET /budget?tokens=41&timeout=1"))
          .startsWith("HTTP/1.1 429")
          .containsPattern("Retry-After: 3[45]\\d\\d");
      assertThat(again.gateway("GET /budget?tokens=40"))
          .startsWith("HTTP/1.1 200")
          .contains("\"tokens_remaining\":0");
      assertThat(again.gateway("GET /slow?timeout=1")).startsWith("HTTP/1.1 429");
      assertThat(again.gateway("GET /openai/v1/files")).contains("upstream_rpd");
      assertThat(again.operator("GET /usage?group_by=key"))
          .startsWith("HTTP/1.1 200")
          .contains("\"key\":\"anonymous\",\"requests\":4,\"input_tokens\":101,");
    }
  }

  @Test
  void withoutAFile_startsAnew() {
    try (StartedGateway gateway = start()) {
      spend(gateway);
    }
    try (StartedGateway again = start()) {
      assertThat(again.gateway("GET /budget?tokens=100")).startsWith("HTTP/1.1 200");
    }
  }

  private ProgramProcess program(Path routes, String name, String interval) throws IOException {
    return new ProgramProcess(routes, setting(name), "--penstock.state.interval=" + interval);
  }

  private Path routes() throws IOException {
    return Files.writeString(directory.resolve("routes.yaml"), ROUTES);
  }

  @Test
  void terminated_savesAtTheEnd() throws IOException {
    try (ProgramProcess programProcess = program(routes(), "state.yaml", "1h")) {
      assertThat(programProcess.get("/budget?tokens=60").status()).isEqualTo(200);
      programProcess.terminate();
      programProcess.endsWell();
    }
    try (ProgramProcess again = program(routes(), "state.yaml", "1h")) {
      assertThat(again.get("/budget?tokens=41&timeout=1").status()).isEqualTo(429);
      assertThat(again.get("/budget?tokens=40").status()).isEqualTo(200);
    }
  }

  @Test
  void killed_remembersTheLastSave() throws IOException {
    Path file = directory.resolve("state.yaml");
    try (ProgramProcess programProcess = program(routes(), "state.yaml", "100ms")) {
      assertThat(programProcess.get("/budget?tokens=60").status()).isEqualTo(200);
      RunningGateway.awaiting().until(() -> Files.readString(file).contains("amount: 60"));
    }
    try (ProgramProcess again = program(routes(), "state.yaml", "1h")) {
      assertThat(again.get("/budget?tokens=41&timeout=1").status()).isEqualTo(429);
      assertThat(again.get("/budget?tokens=40").status()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "state.yaml | state: [ | state.yaml:1:",
        "state.db | state: [ | state.db: the file is not one of SQLite",
        "state.json | x | state.json: expected a name that ends in .yaml or .db"
      })
  void stateThatCannotBeRead_isRefusedAtTheStart_andLeftAsItIs(
      String name, String text, String says) throws IOException {
    Path file = Files.writeString(directory.resolve(name), text);
    GatewayServer.Start start =
        GatewayServer.start(Map.of(), routes(), setting(name), "--server.port=0");
    assertThat(start).isInstanceOf(GatewayServer.Unusable.class);
    assertThat(((GatewayServer.Unusable) start).why())
        .startsWith("penstock.state.file: ")
        .contains(says)
        .doesNotContain("\n");
    assertThat(Files.readString(file)).isEqualTo(text);
  }

  @Test
  void directoryThatIsMissing_isRefusedAtTheStart() throws IOException {
    GatewayServer.Start start = GatewayServer.start(Map.of(), routes(), setting("none/state.yaml"));
    assertThat(start).asString().contains("there is no such directory");
  }

  @Test
  void intervalThatIsTooShort_isRefused() throws IOException {
    GatewayServer.Start start =
        GatewayServer.start(Map.of(), routes(), "--penstock.state.interval=1ms");
    assertThat(start).asString().contains("is '1ms', expected a duration of at least 100ms");
  }

  @Test
  void usage_isShownAsAskedFor() {
    try (StartedGateway gateway = start()) {
      spend(gateway);
      String all = gateway.operator("GET /usage");
      assertThat(all)
          .contains("\"group_by\":[\"day\",\"key\",\"group\",\"model\"],\"rows\":[{\"day\":\"20")
          .contains("\"key\":\"anonymous\",\"group\":\"\",\"model\":\"\",\"requests\":");
      assertThat(gateway.operator("GET /usage?group_by=model&format=csv"))
          .contains("Content-Type: text/csv")
          .contains(
              "model,requests,input_tokens,output_tokens,price"
                  + CACHED
                  + "\r\n,3,61,0,,61,0,0,0\r\n");
      assertThat(gateway.operator("GET /usage?group_by=key", "Accept: text/csv"))
          .contains(
              "key,requests,input_tokens,output_tokens,price"
                  + CACHED
                  + "\r\nanonymous,3,61,0,,61,0,0,0\r\n");
      assertThat(gateway.operator("GET /usage?from=2020-01-01&to=2020-01-31"))
          .contains("\"from\":\"2020-01-01\",\"to\":\"2020-01-31\"", "\"rows\":[]");
      for (String bad :
          List.of(
              "from=x",
              "to=2026-13-01",
              "from=2026-02-02&to=2026-02-01",
              "group_by=",
              "group_by=key,key",
              "group_by=secret",
              "format=xml",
              "since=2026-01-01",
              "to=2026-01-01&to=2026-01-02")) {
        assertThat(gateway.operator("GET /usage?" + bad))
            .as(bad)
            .startsWith("HTTP/1.1 400")
            .contains("application/problem+json", "expected");
      }
      assertThat(gateway.operator("POST /usage")).startsWith("HTTP/1.1 405");
    }
  }
}
