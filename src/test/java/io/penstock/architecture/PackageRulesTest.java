package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackageRulesTest {
  private static final String MAIN = "src/main/java/io/penstock/cost/A.java";
  private static final String TEST = "src/test/java/io/penstock/cost/A.java";
  private static final String INFO = "src/main/java/io/penstock/cost/package-info.java";

  @ParameterizedTest
  @ValueSource(strings = {"util", "common", "helper", "impl", "service", "dto", "cost.impl"})
  void package_withAVagueName_fails(String name) {
    CheckedSource source = CheckedSource.of(MAIN, "package io.penstock." + name + ";");
    assertThat(PackageRules.vaguePackages(source)).hasSize(1);
    assertThat(PackageRules.unknownPackages(source)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"io.penstock", "io.penstock.cost", "io.penstock.gateway"})
  void package_inTheTable_passes(String name) {
    CheckedSource source = CheckedSource.of(MAIN, "package " + name + ";");
    assertThat(PackageRules.vaguePackages(source)).isEmpty();
    assertThat(PackageRules.unknownPackages(source)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "package io.penstock.pipes;",
        "package io.penstock.cost.deep;",
        "package com.penstock;",
        "package io.penstocks;",
        "class A {}"
      })
  void package_outsideTheTable_fails(String text) {
    assertThat(PackageRules.unknownPackages(CheckedSource.of(MAIN, text))).hasSize(1);
    assertThat(PackageRules.unknownPackages(CheckedSource.of(TEST, text))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"architecture", "fake", "simulator", "bench"})
  void package_forTestsOnly_passesInTestsOnly(String name) {
    String text = "package io.penstock." + name + ";";
    assertThat(PackageRules.unknownPackages(CheckedSource.of(TEST, text))).isEmpty();
    assertThat(PackageRules.unknownPackages(CheckedSource.of(MAIN, text))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "import io.penstock.pool.UpstreamSpec;",
        "import static io.penstock.limit.ExactRate.MAX;",
        "import io.penstock.queue.*;",
        "import io.penstock.Penstock;",
        "import io.penstock.nowhere.Thing;"
      })
  void import_theTableDoesNotAllow_fails(String text) {
    assertThat(PackageRules.forbiddenImports(importing(MAIN, text))).hasSize(1);
    assertThat(PackageRules.forbiddenImports(importing(TEST, text))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "import io.penstock.time.Ticker;",
        "import static io.penstock.time.Ticker.NEVER;",
        "import static io.penstock.cost.Cost.MAX_TOKENS;",
        "import io.penstocks.Other;",
        "import java.util.List;"
      })
  void import_theTableAllows_passes(String text) {
    assertThat(PackageRules.forbiddenImports(importing(MAIN, text))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@NullMarked package io.penstock.cost;",
        "/** What it weighs. */ package io.penstock.cost;",
        "/** What it weighs */ @NullMarked package io.penstock.cost;",
        "/** . */ @NullMarked package io.penstock.cost;",
        "/** One.\n * Two. */ @NullMarked package io.penstock.cost;",
        "/** One. */ /* @NullMarked */ package io.penstock.cost;"
      })
  void packageInfo_thatDoesNotDescribeTheRoom_fails(String text) {
    assertThat(PackageRules.undescribedPackages(List.of(CheckedSource.of(INFO, text))))
        .containsExactly("io.penstock.cost");
  }

  @Test
  void packageInfo_missing_failsOnceForAllFiles() {
    CheckedSource source = importing(MAIN, "");
    assertThat(PackageRules.undescribedPackages(List.of(source, source)))
        .containsExactly("io.penstock.cost");
    assertThat(PackageRules.undescribedPackages(List.of(importing(TEST, "")))).isEmpty();
  }

  @Test
  void packageInfo_nullMarkedWithOneSentence_passes() {
    String text =
        "/**\n * What it weighs,\n * and weighed.\n */\n@NullMarked\npackage io.penstock.cost;";
    CheckedSource info = CheckedSource.of(INFO, text);
    assertThat(PackageRules.undescribedPackages(List.of(importing(MAIN, ""), info))).isEmpty();
  }

  private static CheckedSource importing(String path, String imports) {
    return CheckedSource.of(path, "package io.penstock.cost;\n" + imports + "\nclass A {}");
  }
}
