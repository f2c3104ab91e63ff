package io.penstock.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.config.ConfigurationSnapshot;
import io.penstock.config.LoadedConfiguration;
import io.penstock.config.RouteFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Tests every way in which a gateway is, or is not, open to everybody in the network. */
class OpenRelayTest {
  private static final String RELAY = "endpoints: [{path: /a, upstreams: [{id: u, url: URL}]}]\n";
  private static final String PERMIT = "endpoints: [{path: /a}]\n";
  private static final String KEY = "keys: [{name: k, sha256: " + "ab".repeat(32) + "}]\n";

  @TempDir private Path directory;

  private final Map<String, Object> properties = new HashMap<>();

  @BeforeEach
  void operatorPortOfItsOwn() {
    properties.put("server.port", "8080");
    properties.put("management.server.port", "8081");
    properties.put("management.server.address", "127.0.0.1");
  }

  private ConfigurableEnvironment environment() {
    ConfigurableEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
    return environment;
  }

  /** Returns the settings; one that cannot be used counts as not set, as in no real start. */
  private PenstockSettings settings() {
    return new SettingsBinder(environment()).bind();
  }

  private ConfigurationSnapshot snapshot(String name, String text) throws IOException {
    Path file = Files.writeString(directory.resolve(name), text.replace("URL", "mock://openai"));
    return switch (new RouteFiles(Map.of(), address -> {}).load(file)) {
      case LoadedConfiguration.Good(ConfigurationSnapshot configurationSnapshot) ->
          configurationSnapshot;
      case LoadedConfiguration.Bad(var faults) -> throw new AssertionError(faults);
    };
  }

  private ConfigurationSnapshot snapshot(String text) throws IOException {
    return snapshot("routes.yaml", text);
  }

  private @Nullable String problem(ConfigurationSnapshot configurationSnapshot) {
    return OpenRelay.problem(settings(), environment(), configurationSnapshot);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.0.0.2", "::1", "localhost"})
  void thisMachineAlone_needsNoKeys(String address) throws IOException {
    properties.put("server.address", address);
    assertThat(problem(snapshot(RELAY))).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1", "::ffff:192.0.2.1", "no.such.invalid"})
  void otherAddress_withoutKeys_isRefusedAndNamed(String address) throws IOException {
    properties.put("server.address", address);
    assertThat(problem(snapshot(RELAY)))
        .startsWith("no keys are configured, so anyone who reaches " + address + " could")
        .endsWith("or say --penstock.keys.required=false to mean it");
    assertThat(problem(snapshot(PERMIT))).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  "})
  void blankAddress_isEveryAddress(String address) throws IOException {
    properties.put("server.address", address);
    assertThat(problem(snapshot(RELAY))).contains("reaches any address of this machine could");
    properties.remove("server.address");
    assertThat(problem(snapshot(RELAY))).isNotNull();
  }

  @Test
  void keyInARouteFile_allowsEveryAddress() throws IOException {
    properties.put("server.address", "0.0.0.0");
    assertThat(problem(snapshot(KEY + RELAY))).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "unset",
      value = {
        "penstock.keys.required, true, true",
        "penstock.keys.required, false, true",
        "penstock.keys.required, unset, false",
        "penstock.keys.required, '', false",
        "penstock.keys.required, no, false",
        "penstock.keys.required, FALSE, false",
        "penstock.keys.store, file:keys.db, true",
        "penstock.keys.store, sql, true",
        "penstock.keys.store, '', false",
        "penstock.keys.store, ' ', false"
      })
  void setting_allowsEveryAddressOrNot(String name, @Nullable String value, boolean allowed)
      throws IOException {
    properties.put("server.address", "0.0.0.0");
    if (value != null) {
      properties.put(name, value);
    }
    assertThat(problem(snapshot(RELAY)) == null).isEqualTo(allowed);
  }

  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, 0.0.0.0, permit, true",
    "0.0.0.0, 0.0.0.0, relay, false",
    "0.0.0.0, 127.0.0.1, permit, false",
    "127.0.0.1, 0.0.0.0, relay, true"
  })
  void configurationOfRls_allowsTheAddressItNamesWhileItRelaysNothing(
      String address, String named, String endpoint, boolean allowed) throws IOException {
    properties.put("server.address", address);
    String server = "server: {host: \"" + named + "\", port: 8080}\n";
    ConfigurationSnapshot configurationSnapshot =
        snapshot("rls.yml", server + (endpoint.equals("permit") ? PERMIT : RELAY));
    assertThat(problem(configurationSnapshot) == null).isEqualTo(allowed);
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, '', true",
    "::1, '', true",
    "0.0.0.0, '', false",
    "'', '', false",
    "192.0.2.1, ' ', false",
    "no.such.invalid, '', false",
    "0.0.0.0, a-token, true",
    "'', a-token, true"
  })
  void operatorPort_onAnotherAddress_needsAToken(String address, String token, boolean allowed)
      throws IOException {
    properties.put("server.address", "127.0.0.1");
    properties.put("management.server.address", address);
    properties.put("penstock.operator.token", token);
    assertChecked(snapshot(RELAY), allowed, "could operate the gateway");
  }

  @ParameterizedTest
  @CsvSource({"8080, false", "'', false", "8081, true", "0, true", "-1, true"})
  void operatorPort_isNeverTheGateways(String port, boolean allowed) throws IOException {
    properties.put("server.address", "127.0.0.1");
    properties.put("penstock.operator.token", "a-token");
    properties.put("management.server.port", port);
    assertChecked(snapshot(RELAY), allowed, "the operator port is the gateway's own");
  }

  @Test
  void operatorPortThatIsOff_needsNoToken() throws IOException {
    properties.put("server.address", "127.0.0.1");
    properties.put("management.server.address", "0.0.0.0");
    properties.put("management.server.port", "-1");
    assertChecked(snapshot(RELAY), true, "");
  }

  @Test
  void keys_doNotOpenTheOperatorPort() throws IOException {
    properties.put("server.address", "0.0.0.0");
    properties.put("management.server.address", "0.0.0.0");
    assertChecked(snapshot(KEY + RELAY), false, "could operate the gateway");
  }

  private void assertChecked(
      ConfigurationSnapshot configurationSnapshot, boolean allowed, String why) {
    if (allowed) {
      assertThatCode(() -> OpenRelay.check(settings(), environment(), configurationSnapshot))
          .doesNotThrowAnyException();
    } else {
      assertThatThrownBy(() -> OpenRelay.check(settings(), environment(), configurationSnapshot))
          .isInstanceOf(OpenRelay.class)
          .hasMessageContaining(why);
    }
  }
}
