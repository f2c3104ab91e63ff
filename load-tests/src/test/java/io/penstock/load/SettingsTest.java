package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
  private static final String[] NAMES = {
    "rounds",
    "seconds",
    "warmup",
    "connections",
    "minutes",
    "rate",
    "load",
    "penstock.jar",
    "directory",
    "pairs",
    "smoke",
    "old",
    "new"
  };

  private final Settings settings = untold();

  /** Whoever runs a scenario tells it things with which these tests run, too. */
  private static Settings untold() {
    for (String name : NAMES) {
      System.clearProperty(name);
    }
    return Settings.told();
  }

  @AfterEach
  void forget() {
    untold();
  }

  private int told(String name) {
    return switch (name) {
      case "rounds" -> settings.rounds(7);
      case "seconds" -> (int) settings.stretch(7).toSeconds();
      case "warmup" -> (int) settings.warmup(7).toSeconds();
      case "pairs" -> settings.pairs(7);
      case "connections" -> settings.connections(7);
      case "rate" -> settings.rate(7);
      default -> settings.minutes(7);
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"rounds", "seconds", "warmup", "connections", "minutes", "rate", "pairs"})
  void number_isWhatWasTold_elseWhatTheScenarioSays(String name) {
    assertThat(told(name)).isEqualTo(7);
    System.setProperty(name, "0");
    assertThat(told(name)).isEqualTo(7);
    System.setProperty(name, "3");
    assertThat(told(name)).isEqualTo(3);
    System.setProperty(name, "-1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> told(name))
        .withMessage(name + " is -1, expected at least 1");
  }

  @Test
  void text_isWhatWasTold_elseTheOtherOne_alsoWhereItIsEmpty() {
    assertThat(Settings.text("new", "a.jar")).isEqualTo("a.jar");
    System.setProperty("new", " ");
    assertThat(Settings.text("new", "a.jar")).isEqualTo("a.jar");
    assertThat(Settings.text("old")).isEmpty();
    System.setProperty("new", "b.jar");
    assertThat(Settings.text("new", "a.jar")).isEqualTo("b.jar");
  }

  @Test
  void whatWasNotTold_isHere() {
    assertThat(settings.directory()).isEqualTo(Path.of("target").toAbsolutePath());
    Path jar = Path.of("..", "target", "penstock.jar").toAbsolutePath().normalize();
    assertThat(settings.jar()).isEqualTo(jar);
    assertThat(settings.root().resolve("load-tests/pom.xml")).exists();
    assertThat(Settings.loadBy()).isEqualTo("auto");
    assertThat(Settings.smoke()).isFalse();
    assertThat(settings.stretch(5)).isEqualTo(Duration.ofSeconds(5));
  }
}
