package io.penstock.operator;

import static io.penstock.fake.RunningGateway.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.GoldenGateway;
import io.penstock.fake.LogCapture;
import io.penstock.fake.Transcript;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Tests that an operator gets more lines of a running gateway, and no more when it is enough. */
@Isolated("it captures the log")
class MoreLogIT {
  private static final String CATEGORY = "/actuator/loggers/io.penstock.access";

  @TempDir private Path directory;

  private static List<String> lines(LogCapture log, String path) {
    return log.lines().stream()
        .filter(line -> line.contains(" io.penstock.access ") && line.contains("endpoint=" + path))
        .toList();
  }

  private static void set(GoldenGateway gateway, String level) {
    Transcript asked = gateway.transcript();
    asked.send(
        gateway.operatorPort(),
        "POST " + CATEGORY,
        "{\"configuredLevel\":" + level + "}",
        "Content-Type: application/json");
    assertThat(asked.text()).contains("HTTP/1.1 200 OK");
  }

  @Test
  void accessLog_hasALineOfEveryRequest_whileItsLevelIsDebug() {
    try (GoldenGateway gateway =
            new GoldenGateway(directory, "endpoints: [{path: /a}, {path: /b}, {path: /c}]");
        LogCapture log = LogCapture.listen()) {
      gateway.started().gateway("GET /a");
      set(gateway, "\"DEBUG\"");
      gateway.started().gateway("GET /b");
      awaiting().untilAsserted(() -> assertThat(lines(log, "/b")).hasSize(1));
      set(gateway, "null");
      gateway.started().gateway("GET /c");
      gateway.started().operator("GET " + CATEGORY);
      assertThat(lines(log, "/a")).isEmpty();
      assertThat(lines(log, "/c")).isEmpty();
    }
  }
}
