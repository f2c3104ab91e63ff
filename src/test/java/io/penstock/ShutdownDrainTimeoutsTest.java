package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.settings.SettingsCheck;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

class ShutdownDrainTimeoutsTest {
  private final MockEnvironment environment = new MockEnvironment();

  private ShutdownDrain.Timeouts timeouts() {
    return ShutdownDrain.Timeouts.of(SettingsCheck.check(environment, Set.of()).settings());
  }

  @Test
  void unset_isHalfAMinuteForThoseWhoWaitAndTenForAnswers() {
    assertThat(timeouts())
        .isEqualTo(
            new ShutdownDrain.Timeouts(
                Duration.ZERO, Duration.ofSeconds(30), Duration.ofMinutes(10)));
  }

  @Test
  void set_isTakenAsItIs() {
    environment.setProperty("penstock.drain-pause", "2s");
    environment.setProperty("penstock.drain-timeout", "2500ms");
    environment.setProperty("penstock.stream-drain-timeout", "2m");
    assertThat(timeouts())
        .isEqualTo(
            new ShutdownDrain.Timeouts(
                Duration.ofSeconds(2), Duration.ofMillis(2_500), Duration.ofMinutes(2)));
  }

  @Test
  void pauseLongerThanThoseWhoWaitAreServed_endsWithThat() {
    environment.setProperty("penstock.drain-pause", "1m");
    environment.setProperty("penstock.drain-timeout", "10s");
    assertThat(timeouts().pause()).isEqualTo(Duration.ofSeconds(10));
  }
}
