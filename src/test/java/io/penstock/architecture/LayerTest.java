package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LayerTest {
  private static final List<ArchRule> RULES =
      List.of(
          LayerRules.EVERY_PACKAGE_IS_IN_THE_TABLE,
          LayerRules.IMPORTS_FOLLOW_THE_TABLE,
          LayerRules.LOWER_LAYERS_ARE_PLAIN_JAVA,
          LayerRules.REDISSON_STAYS_IN_REDIS,
          LayerRules.BUCKET4J_STAYS_IN_LIMIT,
          LayerRules.OPENTELEMETRY_STAYS_IN_TRACE,
          LayerRules.CONNECTION_POOL_STAYS_IN_REGION,
          LayerRules.FLYWAY_STAYS_IN_REGION,
          LayerRules.EXCHANGES_STAY_IN_GATEWAY,
          LayerRules.NAMES_OF_PROVIDERS_STAY_IN_DIALECT);

  @TempDir Path directory;

  @Test
  void program_asBuilt_keepsTheTable() {
    JavaClasses program =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(LayerTable.ROOT);
    assertThat(program).hasSizeGreaterThan(10);
    for (ArchRule rule : RULES) {
      rule.check(program);
    }
  }

  @Test
  void table_everyRow_importsOnlyDownOrAcrossWithoutACycle() {
    for (LayerTable.Row row : LayerTable.ROWS) {
      for (LayerTable.Row other : LayerTable.ROWS) {
        if (!row.equals(other) && row.mayImport(other)) {
          assertThat(other.layer()).as(row + " → " + other).isLessThanOrEqualTo(row.layer());
          assertThat(other.mayImport(row)).as(other + " → " + row).isFalse();
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "time, refusal",
    "refusal, cost",
    "cost, refusal",
    "event, limit",
    "limit, queue",
    "queue, event",
    "quota, pool",
    "key, pool",
    "pool, endpoint",
    "coordination, quota",
    "endpoint, key",
    "endpoint, park",
    "park, provider",
    "store, provider",
    "trace, provider",
    "trace, gateway",
    "metrics, trace",
    "metrics, config",
    "gateway, operator",
    "operator, metrics",
    "metrics, cli",
    "cli, gateway",
    "cli, time"
  })
  void package_importsWhatTheTableDoesNotAllow_fails(String from, String to) {
    JavaClasses classes = compile(imports(from, to), type(to));
    assertFails(LayerRules.IMPORTS_FOLLOW_THE_TABLE, classes, "io.penstock." + to);
  }

  @ParameterizedTest
  @CsvSource({
    "event, cost",
    "quota, queue",
    "key, quota",
    "endpoint, pool",
    "park, endpoint",
    "trace, endpoint",
    "gateway, provider",
    "gateway, trace",
    "cli, store"
  })
  void package_importsWhatTheTableAllows_passes(String from, String to) {
    JavaClasses classes = compile(imports(from, to), type(to));
    for (ArchRule rule : RULES) {
      rule.check(classes);
    }
  }

  @Test
  void package_importsTheRoot_fails() {
    JavaClasses classes =
        compile(
            "package io.penstock; public class Wiring {}",
            "package io.penstock.gateway; class Door { io.penstock.Wiring roof; }");
    assertFails(LayerRules.IMPORTS_FOLLOW_THE_TABLE, classes, "io.penstock.Wiring");
  }

  @Test
  void root_importsEveryLayer_passes() {
    JavaClasses classes =
        compile(
            type("time"),
            type("operator"),
            "package io.penstock; class Wiring { io.penstock.time.Target a;"
                + " io.penstock.operator.Target b; }");
    LayerRules.IMPORTS_FOLLOW_THE_TABLE.check(classes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"pipes", "gateway.filter", "house"})
  void class_inAPackageOutsideTheTable_fails(String name) {
    assertFails(
        LayerRules.EVERY_PACKAGE_IS_IN_THE_TABLE,
        compile(type(name)),
        "is in a package that is not in the table");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "reactor.core.publisher.Mono<String>",
        "org.springframework.context.ApplicationContext",
        "org.slf4j.Logger",
        "java.util.logging.Logger",
        "System.Logger",
        "javax.sql.DataSource",
        "tools.jackson.databind.JsonNode",
        "io.github.bucket4j.Bucket[]"
      })
  void lowerLayer_usesMoreThanPlainJava_fails(String type) {
    for (String row : List.of("queue", "endpoint")) {
      JavaClasses classes =
          compile(
              "package io.github.bucket4j; public class Bucket {}",
              "package io.penstock." + row + "; class Impure { " + type + " field; }");
      assertFails(LayerRules.LOWER_LAYERS_ARE_PLAIN_JAVA, classes, "Impure");
    }
  }

  @Test
  void lowerLayer_usesALoggerInsideALambda_fails() {
    JavaClasses classes =
        compile(
            """
            package io.penstock.cost;
            class Impure {
              Runnable says(String text) {
                return () -> System.getLogger("x").log(System.Logger.Level.INFO, text);
              }
            }
            """);
    assertFails(LayerRules.LOWER_LAYERS_ARE_PLAIN_JAVA, classes, "Impure");
  }

  @Test
  void limit_usesBucket4j_passes() {
    JavaClasses classes =
        compile(
            "package io.github.bucket4j; public class Bucket {}",
            "package io.penstock.limit; class Pure { io.github.bucket4j.Bucket b; int[] i; }");
    LayerRules.LOWER_LAYERS_ARE_PLAIN_JAVA.check(classes);
    LayerRules.BUCKET4J_STAYS_IN_LIMIT.check(classes);
  }

  @Test
  void library_usedOutsideItsPackage_fails() {
    JavaClasses classes =
        compile(
            "package io.github.bucket4j; public class Bucket {}",
            "package org.redisson.api; public class Redis {}",
            "package io.opentelemetry.api; public class Span {}",
            "package com.zaxxer.hikari; public class Pool {}",
            "package org.flywaydb.core; public class Flyway {}",
            "package io.penstock.store; class Leak { io.github.bucket4j.Bucket b; }",
            "package io.penstock.region; class Rows { com.zaxxer.hikari.Pool pool; }",
            "package io.penstock.store; class Keys { com.zaxxer.hikari.Pool pool; }",
            "package io.penstock.store; class Tables { org.flywaydb.core.Flyway makes; }",
            "package io.penstock.redis; class Home { org.redisson.api.Redis redis; }",
            "package io.penstock.trace; class Trail { io.opentelemetry.api.Span span; }",
            "package io.penstock.metrics; class Counts { io.opentelemetry.api.Span span; }",
            "package io.penstock; class Wiring { org.redisson.api.Redis redis; }",
            "package io.penstock.operator; class Api {"
                + " void at(org.springframework.web.server.ServerWebExchange e) {} }",
            "package io.penstock.gateway; class Filter {"
                + " void at(org.springframework.web.server.ServerWebExchange e) {} }");
    assertFails(LayerRules.BUCKET4J_STAYS_IN_LIMIT, classes, "Leak");
    assertFails(LayerRules.REDISSON_STAYS_IN_REDIS, classes, "Wiring");
    assertFails(LayerRules.OPENTELEMETRY_STAYS_IN_TRACE, classes, "Counts");
    assertFails(LayerRules.CONNECTION_POOL_STAYS_IN_REGION, classes, "Keys");
    assertFails(LayerRules.FLYWAY_STAYS_IN_REGION, classes, "Tables");
    assertFails(LayerRules.EXCHANGES_STAY_IN_GATEWAY, classes, "Api");
    assertThat(violations(LayerRules.REDISSON_STAYS_IN_REDIS, classes)).hasSize(1);
    assertThat(violations(LayerRules.OPENTELEMETRY_STAYS_IN_TRACE, classes)).hasSize(1);
    assertThat(violations(LayerRules.CONNECTION_POOL_STAYS_IN_REGION, classes)).hasSize(1);
    assertThat(violations(LayerRules.EXCHANGES_STAY_IN_GATEWAY, classes)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"OPENAI", "AZURE", "ANTHROPIC", "GEMINI", "MISTRAL"})
  void provider_namedOutsideItsPackageAndTheTable_fails(String name) {
    LayerRules.NAMES_OF_PROVIDERS_STAY_IN_DIALECT
        .allowEmptyShould(true)
        .check(compile(names("provider.azure", name)));
    assertFails(
        LayerRules.NAMES_OF_PROVIDERS_STAY_IN_DIALECT, compile(names("operator", name)), name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ALL", "CREDENTIALS", "NONE"})
  void tableOfDialects_readWithoutTheNameOfAProvider_passes(String field) {
    LayerRules.NAMES_OF_PROVIDERS_STAY_IN_DIALECT.check(compile(names("gateway", field)));
  }

  private JavaClasses compile(String... sources) {
    return JavaSnippets.compile(directory, sources);
  }

  private static String imports(String from, String to) {
    return "package io.penstock.%s; class Origin { io.penstock.%s.Target target; }"
        .formatted(from, to);
  }

  private static String names(String from, String field) {
    return "package io.penstock.%s; class Names { Object at = io.penstock.dialect.DialectTable.%s; }"
        .formatted(from, field);
  }

  private static String type(String name) {
    return "package io.penstock." + name + "; public class Target {}";
  }

  private static List<String> violations(ArchRule rule, JavaClasses classes) {
    return rule.evaluate(classes).getFailureReport().getDetails();
  }

  private static void assertFails(ArchRule rule, JavaClasses classes, String because) {
    assertThatThrownBy(() -> rule.check(classes))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(because);
  }
}
