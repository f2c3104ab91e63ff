package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ProgramProcess;
import io.penstock.fake.StartedGateway;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class LogFormatIT {
  private static final String DEMO =
      "endpoints: [{path: /demo, dialect: openai, upstreams: [{id: d, url: 'mock://openai'}]}]\n";

  @TempDir private Path directory;

  @Test
  void json_isAnObjectALine_fromTheStartToTheEnd() throws Exception {
    Path routes = StartedGateway.write(directory, DEMO);
    List<JsonNode> lines;
    try (ProgramProcess program = new ProgramProcess(routes, "--penstock.log.format=json")) {
      program.terminate();
      program.endsWell();
      lines = program.log().stream().map(JsonMapper.shared()::readTree).toList();
    }
    assertThat(lines)
        .allSatisfy(
            line -> {
              assertThat(line.get("@timestamp").asString()).isNotBlank();
              assertThat(line.get("level").asString()).isEqualTo("INFO");
              assertThat(line.get("message").asString()).doesNotContain("\n");
            });
    assertThat(lines)
        .extracting(line -> line.get("message").asString())
        .anyMatch(line -> line.endsWith("/demo -> d"))
        .anyMatch(line -> line.startsWith("try: curl -s http://127.0.0.1:"))
        .anyMatch(line -> line.startsWith("stopping: 0 requests"))
        .last()
        .isEqualTo("stopping: all requests have ended");
  }

  @Test
  void whatMakesNoSense_doesNotStart() {
    Path routes = StartedGateway.write(directory, DEMO);
    assertThat(GatewayServer.start(Map.of(), routes, "--penstock.log.access=2"))
        .isEqualTo(
            new GatewayServer.Unusable(
                "--penstock.log.access (command line) is '2', expected a number from 0 to 1"));
    assertThat(GatewayServer.start(Map.of(), routes, "--penstock.log.format=xml"))
        .isEqualTo(
            new GatewayServer.Unusable(
                "--penstock.log.format (command line) is 'xml', expected plain or json"));
  }
}
