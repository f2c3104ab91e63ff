package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of the maximum size. */
class ManyEndpointsTest {
  private static final int MANY = 10_000;

  @TempDir Path directory;

  private static String file(String lines) {
    return IntStream.range(0, MANY)
        .mapToObj(i -> lines.formatted(i))
        .collect(Collectors.joining("", "endpoints:\n", ""));
  }

  @Test
  void tenThousandEndpoints_inOneFile_areEachReadOnce() throws Exception {
    AtomicInteger checks = new AtomicInteger();
    Path path = directory.resolve("a.yaml");
    String upstream = "  - {path: /e%d, upstreams: [{id: u, url: 'mock://openai'}]}\n";
    Files.writeString(path, file(upstream));

    LoadedConfiguration loaded =
        new RouteFiles(Map.of(), (URI address) -> checks.incrementAndGet()).load(path);

    assertThat(loaded).isInstanceOf(LoadedConfiguration.Good.class);
    assertThat(((LoadedConfiguration.Good) loaded).snapshot().endpoints()).hasSize(MANY);
    assertThat(checks).hasValue(MANY);
  }

  @Test
  void tenThousandEndpoints_ofRls_haveTheRootBesides() {
    ConfigurationSnapshot configurationSnapshot =
        new Routes(directory).write("rls.yml", file("  - {path: /e%d, rate: 0}\n")).good(Map.of());
    assertThat(configurationSnapshot.endpoints()).hasSize(MANY + 1);
  }

  @Test
  void tenThousandFaults_inOneFile_areToldUpToTheBoundAndReadNoFurther() throws Exception {
    AtomicInteger checks = new AtomicInteger();
    Path path = directory.resolve("a.yaml");
    Files.writeString(path, file("  - {path: e%d, upstreams: [{id: u, url: 'mock://openai'}]}\n"));

    LoadedConfiguration loaded =
        new RouteFiles(Map.of(), (URI address) -> checks.incrementAndGet()).load(path);

    assertThat(((LoadedConfiguration.Bad) loaded).faults()).hasSize(FaultCollector.MOST);
    assertThat(checks.get()).isLessThanOrEqualTo(FaultCollector.MOST);
  }

  @Test
  void tenThousandWarnings_inAnRlsFile_areToldUpToTheBound() {
    Routes routes = new Routes(directory).write("rls.yml", file("  - {path: /e%d, foo: 1}\n"));
    assertThat(routes.warnings(Map.of())).hasSize(FaultCollector.MOST);
  }

  @Test
  void merges_threeWideAndSixteenDeep_areFollowed() {
    StringBuilder bomb = new StringBuilder("m0: &m0 {rate: 2}\n");
    for (int i = 1; i <= 16; i++) {
      bomb.append("m%d: &m%d {<<: [*m%d, *m%d, *m%d]}\n".formatted(i, i, i - 1, i - 1, i - 1));
    }
    bomb.append("endpoints: [{path: /a, <<: *m16}]\n");
    ConfigurationSnapshot configurationSnapshot =
        new Routes(directory).write("rls.yml", bomb.toString()).good(Map.of());
    assertThat(configurationSnapshot.endpoints().getLast().entry().shown())
        .containsEntry("rate", 2L);
  }

  @Test
  void mergeOfItself_inAnRlsFile_endsWithAFault() {
    List<String> faults =
        new Routes(directory)
            .write("rls.yml", "endpoints:\n  - &a {path: /a, <<: [*a]}\n  - &b [*b]\n")
            .faults(Map.of());
    assertThat(faults).isNotEmpty();
  }
}
