package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.StartedGateway;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that operators see that the route files on disk are not what runs. */
class RefusedEditIT {
  private static final String GOOD = "endpoints:\n  - path: /a\n";

  @TempDir private Path directory;

  @Test
  void fileWithAFault_isShown_untilOneIsAppliedAgain() throws Exception {
    try (StartedGateway gateway = StartedGateway.start(directory, GOOD)) {
      assertThat(gateway.operator("GET /config")).contains("\"not_applied\":[]");
      Path routes = directory.resolve("routes.yaml");
      Files.writeString(routes, "endpoints:\n  - path: /a\n    rpm: 5\n");
      assertThat(gateway.operator("POST /reload", "Content-Length: 0")).contains(" 422 ");
      assertThat(gateway.operator("GET /config")).contains("routes.yaml:3:5: unknown key 'rpm'");
      assertThat(gateway.operator("GET /actuator/prometheus")).contains("penstock_config_stale 1");

      Files.writeString(routes, GOOD);
      assertThat(gateway.operator("POST /reload", "Content-Length: 0")).contains(" 200 ");
      assertThat(gateway.operator("GET /config")).contains("\"not_applied\":[]");
      assertThat(gateway.operator("GET /actuator/prometheus")).contains("penstock_config_stale 0");
    }
  }
}
