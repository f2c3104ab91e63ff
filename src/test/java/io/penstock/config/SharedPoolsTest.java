package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pool.UpstreamSpec.Limits;
import io.penstock.pool.UpstreamSpec.SharedPool;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Limits that models of an upstream share. */
class SharedPoolsTest {
  @TempDir Path directory;

  private List<SharedPool> pools(String... lines) {
    return new Routes(directory)
        .write("a.yaml", Routes.upstreamFile(lines))
        .good(Map.of())
        .endpoints()
        .getFirst()
        .upstreams()
        .getFirst()
        .budget()
        .pools();
  }

  private List<String> faults(String... lines) {
    return new Routes(directory).write("a.yaml", Routes.upstreamFile(lines)).faults(Map.of());
  }

  @Test
  void entry_withEverySetting_isAPoolOfThem() {
    assertThat(
            pools(
                "limits:",
                "  - {name: big, models: [a, 'org/b:1'], rpm: 1, tpm: 2, itpm: 3, otpm: 4, rpd: 5,"
                    + " concurrency: 6}",
                "  - {models: ['org/c']}"))
        .containsExactly(
            new SharedPool("big", Set.of("a", "org/b:1"), new Limits(1, 2, 3, 4, 5, 6)),
            new SharedPool("org/c", Set.of("org/c"), Limits.NONE));
  }

  @Test
  void modelsWithAliases_areNamedByTheUpstreamsOwnNames() {
    assertThat(pools("models: {fast: own-1, slow: own-2}", "limits: [{models: [own-1, own-2]}]"))
        .containsExactly(new SharedPool("own-1", Set.of("own-1", "own-2"), Limits.NONE));
  }

  static Stream<Arguments> faulty() {
    return Stream.of(
        fault(
            "[{models: [a]}, {name: x, models: [b, a]}]",
            "51: model 'a' is in limits 'a' already, expected it in one"),
        fault(
            "[{models: [a, c]}]",
            "27: model 'c' is none of the upstream's own names, expected one of its models"),
        fault(
            "[{models: [alias]}]",
            "27: model 'alias' is none of the upstream's own names, expected one of its models"),
        fault(
            "[{models: [a], name: x}, {name: x, models: [b]}]",
            "49: limits 'x' are there twice, expected another name"),
        fault(
            "[{name: b, models: [a]}]",
            "25: limits 'b' have the name of a model that is not among theirs, expected another"
                + " name"),
        fault("[{rpm: 1}]", "18: models is missing, expected it here"),
        fault("[{models: []}]", "27: models is empty, expected a model"),
        fault(
            "[{models: {a: b}}]",
            "27: models is a mapping, expected a list of models, each behind a dash"),
        fault("[{models: a}]", "27: models is 'a', expected a list of models"),
        fault("[{models: [a, a]}]", "31: model 'a' is there twice, expected it once"),
        fault("[{models: [1]}]", "28: a model is '1', expected text: put it in quotes"),
        fault(
            "[{models: [a], name: ' '}]",
            "38: name is ' ', expected a name of up to 256 characters"),
        fault(
            "[{models: [a], rpd: x}]",
            "37: rpd is 'x', expected a whole number from 0 to 1099511627776"),
        fault(
            "[{models: [a], concurency: 1}]",
            "32: unknown key 'concurency', did you mean 'concurrency'?"),
        fault("[a]", "18: a pool is 'a', expected a mapping of settings"),
        fault("{}", "17: limits is a mapping, expected a list of pools, each behind a dash"));
  }

  private static Arguments fault(String limits, String fault) {
    return Arguments.of("limits: " + limits, "a.yaml:7:" + fault);
  }

  @ParameterizedTest
  @MethodSource("faulty")
  void badEntry_alone_isTheOnlyFaultAtItsPlace(String limits, String fault) {
    assertThat(faults("models: {a: a, alias: b}", limits)).containsExactly(fault);
  }

  @Test
  void nameOfAModelInOtherLimits_isAFaultWithoutListedModels() {
    assertThat(faults("limits: [{models: [b, c], name: x}, {name: c, models: [a]}]"))
        .containsExactly(
            "a.yaml:6:52: limits 'c' have the name of a model that is not among theirs, expected"
                + " another name");
  }
}
