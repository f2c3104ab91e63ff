package io.penstock.settings;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.region.RegionSettings;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.env.MockEnvironment;

/**
 * Tests the settings of many regions: their defaults, their values, and errors that stop a start.
 */
class RegionPropertiesTest {
  private static final String URL = "r2dbc:mariadb://user:pass%3Aword@host:3307/penstock";

  private final Map<String, String> properties = new HashMap<>();

  private RegionSettings settings(String... more) {
    properties.put("penstock.region.name", "east");
    properties.put("penstock.database.url", URL);
    for (int at = 0; at < more.length; at += 2) {
      properties.put(more[at], more[at + 1]);
    }
    MockEnvironment environment = new MockEnvironment();
    properties.forEach(environment::setProperty);
    return requireNonNull(region(environment));
  }

  private static @Nullable RegionSettings region(MockEnvironment environment) {
    return RegionProperties.of(SettingsCheck.check(environment, Set.of()).settings());
  }

  @Test
  void withoutAName_thereAreNone() {
    MockEnvironment environment = new MockEnvironment();
    environment.setProperty("penstock.database.url", URL);
    assertThat(region(environment)).isNull();
  }

  @Test
  void unset_haveTheirDefaults() {
    RegionSettings settings = settings();
    assertThat(settings.region()).isEqualTo("east");
    assertThat(settings.workspace()).isEqualTo("default");
    assertThat(settings.migrates()).isTrue();
    assertThat(settings.owner()).isNull();
    assertThat(settings.share()).isEqualTo(0.05);
    assertThat(settings.address()).hasToString("host:3307/penstock");
  }

  @Test
  void set_areWhatIsSaid() {
    RegionSettings settings =
        settings(
            "penstock.workspace", "team-a",
            "penstock.region.share", "0.1",
            "penstock.database.migrate", "false",
            "penstock.database.migration-user", "owner",
            "penstock.database.migration-password", "secret");
    assertThat(settings.workspace()).isEqualTo("team-a");
    assertThat(settings.share()).isEqualTo(0.1);
    assertThat(settings.migrates()).isFalse();
    assertThat(settings.owner()).isEqualTo(new RegionSettings.Owner("owner", "secret"));
    assertThat(settings.toString()).doesNotContain("secret", "pass", "user:");
  }

  @ParameterizedTest
  @CsvSource({
    "penstock.region.name, a b, 'letters, digits'",
    "penstock.workspace, ä, 'letters, digits'",
    "penstock.region.share, 2, from 0 to 1",
    "penstock.region.share, x, from 0 to 1",
    "penstock.database.migrate, yes, true or false",
    "penstock.database.migration-password, x, migration-user is not",
    "penstock.database.url, jdbc:mariadb://h/d, cannot be read",
    "penstock.database.url, r2dbc:mariadb://hunter2:x@h, cannot be read",
    "penstock.database.url, r2dbc:mariadb://hunter2:%zz@h/d, cannot be read",
    "penstock.database.url, r2dbc:postgresql://h/d, cannot be read"
  })
  void badOnes_areSaidAndStopTheStart(String property, String value, String message) {
    assertThatThrownBy(() -> settings(property, value))
        .isInstanceOf(CannotStart.class)
        .hasMessageContaining(property.replace("-password", ""))
        .hasMessageContaining(message)
        .hasMessageNotContaining("hunter2")
        .hasNoCause();
  }

  @Test
  void nameWithoutADatabase_stopsTheStart() {
    assertThatThrownBy(() -> settings("penstock.database.url", " "))
        .isInstanceOf(CannotStart.class)
        .hasMessageContaining("penstock.database.url is not");
  }
}
