package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each % in a text is removed before the test, so that this file itself violates no rule. */
class TextRulesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "dir: /ho%me/someone",
        "cd /ro%ot/x",
        "\"/wo%rk/x\"",
        "file:///t%mp/a",
        "=/Us%ers/someone",
        "C:\\Us%ers\\x"
      })
  void path_ofOneMachine_fails(String text) {
    assertThat(TextRules.machinePaths("a.yaml", text.replace("%", ""))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/usr/lib/jvm", "http://localhost/ho%me/x", "/v1/wo%rk/x", "~/.m2", "/ho%me"})
  void path_ofAnyMachine_passes(String text) {
    assertThat(TextRules.machinePaths("a.yaml", text.replace("%", ""))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://re%po.example.com/maven2",
        "http://build:8081/x http://maven.re%gistry.example/",
        "https://artif%actory.example.org",
        "image: re%gistry.example.com/penstock",
        "index = mir%ror.example.net",
        "<reposi%tory><id>x</id>",
        "<distribution%Management>"
      })
  void registry_namedAnywhere_fails(String text) {
    assertThat(TextRules.registryHosts("pom.xml", text.replace("%", ""))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "import io.micrometer.registry.otlp.Thing;",
        "<artifactId>micrometer-registry-prometheus</artifactId>",
        "https://api.openai.com/v1",
        "https://github.com/penstock/registry",
        "registry.counter(name).increment()"
      })
  void text_thatNamesNoRegistryHost_passes(String text) {
    assertThat(TextRules.registryHosts("A.java", text)).isEmpty();
  }
}
