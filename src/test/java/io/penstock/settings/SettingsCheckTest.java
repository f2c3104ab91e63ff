package io.penstock.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.FileSystemResource;

class SettingsCheckTest {
  @TempDir private Path directory;
  private Path file = Path.of("");
  private final StandardEnvironment environment = new StandardEnvironment();
  private final MutablePropertySources sources = environment.getPropertySources();

  @BeforeEach
  void nothingOfThisMachine() {
    file = directory.resolve("application.yml");
    system(Map.of());
    variables(Map.of());
  }

  private void system(Map<String, Object> properties) {
    String name = StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME;
    sources.replace(name, new MapPropertySource(name, properties));
  }

  private void variables(Map<String, Object> variables) {
    String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
    sources.replace(name, new SystemEnvironmentPropertySource(name, variables));
  }

  private void arguments(String... arguments) {
    sources.addFirst(new SimpleCommandLinePropertySource(arguments));
  }

  private void file(String yaml) throws IOException {
    Files.writeString(file, yaml);
    FileSystemResource resource = new FileSystemResource(file);
    new YamlPropertySourceLoader().load("file", resource).forEach(sources::addLast);
  }

  private List<String> check(String... routeVariables) {
    ConfigurationPropertySources.attach(environment);
    return SettingsCheck.check(environment, Set.of(routeVariables)).warnings();
  }

  @Test
  void valuesOfAList_areRead_howeverTheListIsWritten() throws IOException {
    arguments(
        "--penstock.allowed-hosts[0]=a.example", "--penstock.allowed-origins=http://b.example");
    variables(Map.of("PENSTOCK_ALLOWEDHOSTS_1", "c.example"));
    file("penstock:\n  allowed-origins:\n  - http://d.example\n");

    assertThat(check()).isEmpty();
  }

  private void assertRefused(String message) {
    assertThatThrownBy(this::check)
        .isInstanceOf(CannotStart.class)
        .hasMessage(message.replace("FILE", file.toString()));
  }

  @ParameterizedTest
  @CsvSource({
    "penstock.keys.stor, keys.store",
    "penstock.keys.store[0], keys.store",
    "penstock.drainTimeouts, drain-timeout",
    "penstock.drain.timeout, drain-timeout",
    "PENSTOCK_KEYS_STORE, keys.store"
  })
  void argumentThatIsNoSetting_isRefusedWithTheNearest(String name, String nearest) {
    arguments("--" + name + "=1");
    assertRefused(
        "--%s (command line) is no setting of Penstock; did you mean penstock.%s?"
            .formatted(name, nearest));
  }

  @ParameterizedTest
  @ValueSource(strings = {"penstock", "penstock.keys", "penstock.anything.else", "penstock-x"})
  void argumentFarFromAnySetting_isRefusedToo(String name) {
    arguments("--" + name);
    assertRefused(
        "--"
            + name
            + " (command line) is no setting of Penstock; remove it, or look for its name in"
            + " src/docs/settings.md");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "penstock.drain-timeout",
        "penstock.drainTimeout",
        "penstock.drain_timeout",
        "penstock.DRAIN-TIMEOUT"
      })
  void everySpellingThatSpringReads_isChecked(String name) {
    arguments("--" + name + "=1s");
    assertThat(check()).isEmpty();
    arguments("--" + name + "=1 s");
    assertRefused(
        "--%s (command line) is '1 s', expected a duration such as 500ms, 30s or 10m"
            .formatted(name));
  }

  @Test
  void settingOfAnEarlierName_isRefusedWithItsPresentOne_inEverySpelling() {
    arguments("--penstock.mockEndpointTpmThreshold=1");
    assertRefused(
        "--penstock.mockEndpointTpmThreshold (command line) is no setting of Penstock; its name is"
            + " now penstock.unlimited-tpm");
    arguments();
    variables(Map.of("PENSTOCK_MOCK_ENDPOINT_TPM_THRESHOLD", "1"));
    assertRefused(
        "PENSTOCK_MOCK_ENDPOINT_TPM_THRESHOLD (environment) is no setting of Penstock; its name is"
            + " now penstock.unlimited-tpm");
  }

  @Test
  void otherProperties_areNobodysBusiness() {
    arguments("--server.port=0", "--penstocks=1", "--PENSTOCK_ENVIRONMENT=test");
    system(Map.of("penstocked", "1", "user.penstock", "1"));
    variables(Map.of("MY_PENSTOCK_PORT", "1", "PENSTOCKS", "1"));
    assertThat(check()).isEmpty();
  }

  @Test
  void systemProperty_countsAsAnArgument() {
    system(Map.of("penstock.log.formats", "json"));
    assertRefused(
        "-Dpenstock.log.formats (JVM system property) is no setting of Penstock; did you mean"
            + " penstock.log.format?");
    system(Map.of("penstock.log.access", "2"));
    assertRefused(
        "-Dpenstock.log.access (JVM system property) is '2', expected a number from 0 to 1");
  }

  @Test
  void settingOfAFile_isNamedWithItsLine() throws IOException {
    file("penstock:\n  keys:\n    stor: file:keys.db\n  drain-pause: soon\n");
    assertRefused(
        """
        penstock.keys.stor (FILE:3:11) is no setting of Penstock; did you mean \
        penstock.keys.store?
        penstock.drain-pause (FILE:4:16) is 'soon', expected a duration such as \
        500ms, 30s or 10m\
        """);
  }

  @Test
  void headingInAFileWithNothingBelow_isNoSetting() throws IOException {
    file("penstock:\n  keys:\n  redis: {}\n");
    assertThat(check()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "PENSTOCK_KEYS_STOR, PENSTOCK_KEYS_STORE",
    "PENSTOCK_KEY_STORES, PENSTOCK_KEYS_STORE",
    "PENSTOCK_DRAIN_TIMEOT, PENSTOCK_DRAIN_TIMEOUT",
    "PENSTOCK_DRAINTIMEOT, PENSTOCK_DRAINTIMEOUT",
    "PENSTOCK_KEYSSTORE, PENSTOCK_KEYS_STORE",
    "penstock_keys_stor, PENSTOCK_KEYS_STORE"
  })
  void variableNearASetting_isRefused(String name, String nearest) {
    variables(Map.of(name, "1"));
    assertRefused(
        "%s (environment) is no setting of Penstock; did you mean %s?".formatted(name, nearest));
  }

  @Test
  void variablesFarFromAnySetting_areIgnoredWithOneWarning() {
    Map<String, Object> variables = new LinkedHashMap<>();
    variables.put("PENSTOCK_HOME", "1");
    variables.put("penstock_team", "1");
    variables(variables);
    assertThat(check())
        .containsExactly(
            "environment variables that are no settings of Penstock are ignored: PENSTOCK_HOME,"
                + " penstock_team");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PENSTOCK_DRAIN_TIMEOUT",
        "PENSTOCK_DRAINTIMEOUT",
        "penstock.drain-timeout",
        "PENSTOCK_KEY",
        "PENSTOCK_ENVIRONMENT",
        "PENSTOCK_SERVICE_HOST",
        "PENSTOCK_SERVICE_PORT",
        "PENSTOCK_SERVICE_PORT_HTTP",
        "PENSTOCK_PORT",
        "PENSTOCK_PORT_8080_TCP",
        "PENSTOCK_PORT_8080_TCP_ADDR",
        "PENSTOCK_PORT_8080_TCP_PROTO",
        "PENSTOCK_PORT_8080_TCP_PORT",
        "PENSTOCK_OPERATOR_SERVICE_HOST",
        "PENSTOCK_OPERATOR_SERVICE_PORT_OPERATOR",
        "PENSTOCK_OPERATOR_PORT_8081_TCP",
        "PENSTOCK_REDIS_PORT",
        "PENSTOCK_REDIS_PORT_6379_TCP_ADDR"
      })
  void variableOfASetting_orOfKubernetes_isTakenWithoutAWord(String name) {
    variables(Map.of(name, "1"));
    assertThat(check()).isEmpty();
  }

  @Test
  void variableThatARouteFileUses_isTakenWithoutAWord() {
    variables(Map.of("PENSTOCK_KEYS_STOR", "1", "PENSTOCK_TEAM", "1"));
    assertThat(check("PENSTOCK_KEYS_STOR", "PENSTOCK_TEAM")).isEmpty();
  }

  @Test
  void valueOfAVariable_isNamedAsTheVariable() {
    variables(Map.of("PENSTOCK_DRAIN_TIMEOUT", "half an hour"));
    assertRefused(
        "PENSTOCK_DRAIN_TIMEOUT (environment) is 'half an hour', expected a duration such as"
            + " 500ms, 30s or 10m");
  }

  @Test
  void valueThatCounts_isTheOneThatIsChecked() throws IOException {
    file("penstock.drain-timeout: soon\npenstock.drain-pause: ${penstock.drain-timeout}\n");
    arguments("--penstock.drain-timeout=1s");
    assertThat(check()).isEmpty();
  }

  @Test
  void referenceThatLeadsNowhere_isRefusedWithoutItsText() throws IOException {
    file("penstock.redis.url: redis://:secret${NOWHERE}@host\n");
    assertRefused(
        "penstock.redis.url (FILE:1:21) refers to a ${...} that is not set, expected"
            + " it to be set or to have a default");
  }

  @Test
  void everySettingUnset_isNoFault() {
    assertThatCode(this::check).doesNotThrowAnyException();
  }
}
