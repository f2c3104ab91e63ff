package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReservedPathsTest {
  @TempDir private Path directory;

  private List<ConfigurationFault> faults(String name, String yaml, boolean coordination)
      throws Exception {
    Path file = Files.writeString(directory.resolve(name), yaml);
    RouteFiles files = new RouteFiles(Map.of(), address -> {});
    return switch ((coordination ? files.withCoordination() : files).load(file)) {
      case LoadedConfiguration.Good _ -> List.of();
      case LoadedConfiguration.Bad(List<ConfigurationFault> faults) -> faults;
    };
  }

  private List<ConfigurationFault> faults(String path, boolean coordination) throws Exception {
    return faults("routes.yaml", "endpoints:\n  - path: " + path + "\n", coordination);
  }

  @ParameterizedTest
  @CsvSource({
    "/, /.well-known/ready",
    "/v1, /v1/tokenbucket",
    "/v1/semaphore, /v1/semaphore",
    "/counter/a/b, /counter",
    "/.well-known, /.well-known/ready",
  })
  void endpointThatCoversTheApi_isAFault_whereItIsOn(String path, String covered) throws Exception {
    assertThat(faults(path, false)).isEmpty();
    assertThat(faults(path, true))
        .singleElement()
        .satisfies(
            fault -> {
              assertThat(fault.line()).isEqualTo(2);
              assertThat(fault.column()).isEqualTo(11);
              assertThat(fault.message())
                  .isEqualTo(
                      "path '%s' covers '%s', which penstock.coordination.enabled takes, expected"
                          + " another",
                      path, covered);
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"/openai", "/v2", "/v1/chat", "/semaphores", "/a/semaphore"})
  void otherEndpoint_isNone(String path) throws Exception {
    assertThat(faults(path, true)).isEmpty();
  }

  @Test
  void rootThatRlsAdds_hasWhatIsLeftOver() throws Exception {
    assertThat(faults("rls.yaml", "endpoints:\n  - path: /a\n", true)).isEmpty();
    assertThat(faults("rls.yaml", "endpoints:\n  - path: /\n", true)).hasSize(1);
  }
}
