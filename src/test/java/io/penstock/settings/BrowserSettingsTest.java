package io.penstock.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.config.ConfigurationSnapshot;
import io.penstock.config.LoadedConfiguration;
import io.penstock.config.RouteFiles;
import io.penstock.gateway.identify.BrowserRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.env.MockEnvironment;

class BrowserSettingsTest {
  private static final String HOSTS = "penstock.allowed-hosts";
  private static final String ORIGINS = "penstock.allowed-origins";
  private static final String KEYS = "keys: [{name: k, sha256: " + "ab".repeat(32) + "}]\n";
  private static final String ROUTES = "endpoints: [{path: /a}]\n";

  @TempDir private Path directory;

  private final MockEnvironment environment =
      new MockEnvironment().withProperty("server.address", "127.0.0.1");

  private PenstockSettings settings() {
    return SettingsCheck.check(environment, Set.of()).settings();
  }

  private BrowserRules rules() {
    return BrowserSettings.of(settings(), environment);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "*", "llm.example", "llm.example, *.team.example,[::1]"})
  void hosts_areNamesAndPatterns(String hosts) {
    environment.setProperty(HOSTS, hosts);
    assertThatCode(() -> rules()).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "http://llm.example; http://llm.example",
        "llm.example, llm.example:80; llm.example:80",
        "a b; a b",
        "a,,b; ''"
      })
  void hostThatIsNone_stopsTheStart(String hosts, String named) {
    environment.setProperty(HOSTS, hosts);
    assertThatThrownBy(() -> rules())
        .isInstanceOf(CannotStart.class)
        .hasMessage(
            HOSTS
                + " (mockProperties) has '"
                + named
                + "', expected host names without scheme and port, such as llm.example,"
                + " *.llm.example or 192.0.2.1, or * for any");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "*",
        "https://app.example",
        "http://localhost:3000, https://App.example:8443",
        "app://desktop.example",
        "http://[::1]:3000"
      })
  void origins_areSchemeHostAndPort(String origins) {
    environment.setProperty(ORIGINS, origins);
    assertThatCode(() -> rules()).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "app.example",
        "null",
        "https://",
        "https://app.example/",
        "https://app.example/a",
        "https://*.app.example",
        "https://app.example:443",
        "http://app.example:80",
        "https://user@app.example",
        "https://app.example https://b.example"
      })
  void originThatIsNone_stopsTheStart(String origin) {
    environment.setProperty(ORIGINS, "https://good.example," + origin);
    assertThatThrownBy(() -> rules())
        .isInstanceOf(CannotStart.class)
        .hasMessageStartingWith(
            ORIGINS + " (mockProperties) has '" + origin + "', expected origins as browsers");
  }

  @Test
  void listOfAConfigurationFile_isReadToo() {
    environment.setProperty(HOSTS + "[0]", "good.example");
    environment.setProperty(HOSTS + "[1]", "a/b");
    assertThatThrownBy(() -> rules()).hasMessageContaining("'a/b'");
  }

  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, '', none, 1",
    "'', '', none, 1",
    "192.0.2.1, '', none, 1",
    "127.0.0.1, '', none, 0",
    "0.0.0.0, llm.example, none, 0",
    "0.0.0.0, *, none, 0",
    "0.0.0.0, '', routes, 0",
    "0.0.0.0, '', store, 0"
  })
  void anyHostWithoutKeys_isWarnedOfUnlessItIsMeant(
      String address, String hosts, String keys, int warnings) throws IOException {
    environment.setProperty("server.address", address);
    environment.setProperty(HOSTS, hosts);
    if (keys.equals("store")) {
      environment.setProperty("penstock.keys.store", "sql");
    }
    ConfigurationSnapshot configurationSnapshot =
        snapshot((keys.equals("routes") ? KEYS : "") + ROUTES);
    assertThat(BrowserSettings.warnings(settings(), environment, configurationSnapshot))
        .hasSize(warnings)
        .allMatch(line -> line.contains("set " + HOSTS + " to the host names"));
  }

  private ConfigurationSnapshot snapshot(String text) throws IOException {
    Path file = Files.writeString(directory.resolve("routes.yaml"), text);
    return switch (new RouteFiles(Map.of(), address -> {}).load(file)) {
      case LoadedConfiguration.Good(ConfigurationSnapshot configurationSnapshot) ->
          configurationSnapshot;
      case LoadedConfiguration.Bad(var faults) -> throw new AssertionError(faults);
    };
  }
}
