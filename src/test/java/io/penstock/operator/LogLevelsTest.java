package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.FakeDrivers.FakeDriver;
import io.penstock.fake.FakeTicker;
import io.penstock.suite.DocumentPages;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

class LogLevelsTest {
  private static final String CATEGORY = "io.penstock.region";
  private static final String OTHER = "io.penstock.shadow";
  private static final long LASTS = Duration.ofMinutes(15).toNanos();
  private static final Pattern IN_TABLE =
      Pattern.compile("(?m)^\\| `(io\\.penstock\\.[\\w.]+)` \\|");

  private final FakeTicker ticker = new FakeTicker();
  private final FakeDriver alarm = new FakeDriver();
  private final LoggingSystem loggingSystem = LoggingSystem.get(getClass().getClassLoader());
  private final LogLevels levels = new LogLevels(loggingSystem, alarm, ticker);

  @BeforeEach
  void configure() {
    loggingSystem.setLogLevel(CATEGORY, LogLevel.WARN);
    loggingSystem.setLogLevel(OTHER, null);
  }

  @AfterEach
  void restore() {
    levels.close();
    loggingSystem.setLogLevel(CATEGORY, null);
  }

  private static boolean debugs(String category) {
    return LoggerFactory.getLogger(category).isDebugEnabled();
  }

  @Test
  void level_isThatOfBefore_afterFifteenMinutes() {
    levels.set(CATEGORY, LogLevel.DEBUG);
    assertThat(debugs(CATEGORY)).isTrue();
    assertThat(levels.of(CATEGORY).untilNanos()).isEqualTo(ticker.nanos() + LASTS);
    assertThat(alarm.alarm()).isEqualTo(ticker.nanos() + LASTS);
    ticker.advance(LASTS);
    alarm.ring();
    assertThat(debugs(CATEGORY)).isFalse();
    assertThat(levels.of(CATEGORY))
        .isEqualTo(new LogLevels.Level(LogLevel.WARN, LogLevel.WARN, Ticker.NEVER));
    assertThat(alarm.alarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void levelThatIsSetAgain_lastsLonger_andGoesBackToThatBeforeBoth() {
    levels.set(CATEGORY, LogLevel.DEBUG);
    ticker.advance(LASTS / 2);
    levels.set(CATEGORY, LogLevel.INFO);
    ticker.advance(LASTS / 2);
    alarm.ring();
    assertThat(levels.of(CATEGORY).effective()).isEqualTo(LogLevel.INFO);
    ticker.advance(LASTS / 2);
    alarm.ring();
    assertThat(levels.of(CATEGORY).configured()).isEqualTo(LogLevel.WARN);
  }

  @Test
  void twoCategories_goBackEachAtItsOwnTime() {
    levels.set(CATEGORY, LogLevel.DEBUG);
    ticker.advance(1);
    levels.set(OTHER, LogLevel.DEBUG);
    ticker.advance(LASTS - 1);
    alarm.ring();
    assertThat(debugs(CATEGORY)).isFalse();
    assertThat(debugs(OTHER)).isTrue();
    assertThat(alarm.alarm()).isEqualTo(ticker.nanos() + 1);
    ticker.advance(1);
    alarm.ring();
    assertThat(levels.of(OTHER).configured()).as("as configured: none").isNull();
  }

  @Test
  void resetLevel_isThatOfBeforeAtOnce() {
    levels.set(CATEGORY, LogLevel.DEBUG);
    levels.reset(CATEGORY);
    assertThat(levels.of(CATEGORY).configured()).isEqualTo(LogLevel.WARN);
    assertThat(alarm.alarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void gatewayThatStops_leavesNoLevelChanged() {
    levels.set(CATEGORY, LogLevel.DEBUG);
    levels.close();
    assertThat(debugs(CATEGORY)).isFalse();
  }

  @Test
  void categories_areThoseOfThePage() throws IOException {
    assertThat(
            IN_TABLE
                .matcher(DocumentPages.text(DocumentPages.page("operating.md")))
                .results()
                .map((MatchResult row) -> row.group(1)))
        .containsExactlyElementsOf(LogLevels.CATEGORIES);
  }
}
