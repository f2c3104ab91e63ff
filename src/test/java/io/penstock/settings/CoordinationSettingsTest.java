package io.penstock.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.coordination.ObjectBounds;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.env.MockEnvironment;

class CoordinationSettingsTest {
  private static final String ENABLED = "penstock.coordination.enabled";

  private final MockEnvironment environment = new MockEnvironment();

  private @Nullable CoordinationSettings settings() {
    return CoordinationSettings.of(environment);
  }

  @Test
  void unsaid_isOff() {
    assertThat(settings()).isNull();
    environment.setProperty(ENABLED, "false");
    assertThat(settings()).isNull();
  }

  @Test
  void enabled_hasTheBoundsOfTheContract() {
    environment.setProperty(ENABLED, "true");
    assertThat(settings()).isEqualTo(new CoordinationSettings(ObjectBounds.DEFAULT));
    assertThat(ObjectBounds.DEFAULT.waiters()).isEqualTo(10_000);
    assertThat(ObjectBounds.DEFAULT.objects()).isEqualTo(100_000);
    assertThat(ObjectBounds.DEFAULT.idleNanos()).isEqualTo(3_600_000_000_000L);
  }

  @Test
  void bounds_areWhatIsSaid() {
    environment.setProperty(ENABLED, "true");
    environment.setProperty("penstock.coordination.max-waiters", "0");
    environment.setProperty("penstock.coordination.max-objects", "7");
    CoordinationSettings settings = Objects.requireNonNull(settings());
    assertThat(settings.bounds().waiters()).isZero();
    assertThat(settings.bounds().objects()).isEqualTo(7);
  }

  @ParameterizedTest
  @CsvSource({
    "enabled, yes, true or false",
    "max-waiters, -1, a whole number from 0 to 1000000",
    "max-waiters, 1000001, a whole number from 0 to 1000000",
    "max-objects, 0, a whole number from 1 to 1000000",
    "max-objects, many, a whole number from 1 to 1000000",
  })
  void badValue_isNamed_withWhatIsExpected(String name, String value, String expected) {
    environment.setProperty(ENABLED, "true");
    environment.setProperty("penstock.coordination." + name, value);
    assertThatThrownBy(this::settings)
        .isInstanceOf(CannotStart.class)
        .hasMessage("penstock.coordination.%s is '%s', expected %s", name, value, expected);
  }
}
