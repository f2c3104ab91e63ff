package io.penstock.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.StartedGateway;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeysOfFilesIT {
  @TempDir private static Path directory;

  @Test
  void withoutAStore_changesAre409AndSayWhatToSet() {
    try (StartedGateway gateway = StartedGateway.start(directory, "endpoints: [{path: /a}]")) {
      assertThat(gateway.operator("GET /keys")).startsWith("HTTP/1.1 200").contains("[]");
      assertThat(gateway.operator("DELETE /keys/a"))
          .startsWith("HTTP/1.1 409")
          .contains("set penstock.keys.store to file:PATH, or to sql");
    }
  }

  private static String key(String sha256) {
    return "keys: [{name: a, rpm: 5, sha256: " + sha256 + "}]\n";
  }

  private static String reload(StartedGateway gateway, String routes) {
    StartedGateway.write(directory, routes);
    return gateway.operator("POST /reload", "Content-Length: 0");
  }

  @Test
  void reloadOfBadKeys_changesNothing() {
    String permits = "endpoints: [{path: /a}]";
    String good = key(KeySecrets.sha256("a-secret")) + permits;
    try (StartedGateway gateway = StartedGateway.start(directory, good)) {
      assertThat(gateway.gateway("GET /a", "x-api-key: a-secret")).contains("\"key-rpm\";r=4;");
      assertThat(reload(gateway, key("a-secret") + permits))
          .startsWith("HTTP/1.1 422")
          .contains("sha256", "\"line\":1")
          .doesNotContain("a-secret");
      assertThat(gateway.gateway("GET /a", "x-api-key: a-secret"))
          .startsWith("HTTP/1.1 200")
          .contains("\"key-rpm\";r=3;");
    }
  }

  @Test
  void reloadWithoutTheLastKey_isRefusedWhereAnyoneCouldCome() {
    String permits = "endpoints: [{path: /a}]";
    String good = key(KeySecrets.sha256("a-secret")) + permits;
    try (StartedGateway gateway =
        StartedGateway.start(directory, good, "--server.address=0.0.0.0")) {
      assertThat(reload(gateway, permits))
          .startsWith("HTTP/1.1 422")
          .contains("no keys are configured");
      assertThat(gateway.gateway("GET /a", "x-api-key: a-secret")).startsWith("HTTP/1.1 200");
      assertThat(gateway.gateway("GET /a")).startsWith("HTTP/1.1 401");
    }
  }
}
