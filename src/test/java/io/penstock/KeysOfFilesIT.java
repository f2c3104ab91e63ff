package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@Timeout(120)
@ResourceLock(StartedGateway.EVENT_LOOPS)
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
}
