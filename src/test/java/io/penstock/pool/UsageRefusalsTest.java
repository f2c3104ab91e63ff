package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pool.AttemptHistory.StreamUsage;
import io.penstock.pool.ProviderLesson.ErrorCause;
import io.penstock.quota.ProviderStatus;
import io.penstock.sharing.LocalLimitSource;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests when the gateway asks for the usage of streams. */
class UsageRefusalsTest {
  private static final long NOW = 1_000_000_000_000L;
  private static final long TEN_MINUTES = 600_000_000_000L;

  private final UpstreamRegistry upstreamRegistry =
      UpstreamFixture.registry(new LocalLimitSource(), 60_000_000_000L);
  private final Upstream upstream = applied(100);

  private Upstream applied(long rpm) {
    UpstreamSpec spec = UpstreamSetup.of("u").limits(rpm, 0, 0, 0).spec();
    upstreamRegistry.apply(List.of(spec), NOW);
    return Objects.requireNonNull(upstreamRegistry.find("u"));
  }

  private AttemptVerdict judge(
      int status, ErrorCause wording, AttemptHistory attemptHistory, long now) {
    return upstream.judge(
        attemptHistory,
        new ProviderLesson(status, List.of(), ProviderStatus.UNSTATED, wording),
        now);
  }

  private AttemptVerdict refuses(AttemptHistory attemptHistory) {
    return judge(400, ErrorCause.NO_STREAM_USAGE, attemptHistory, NOW);
  }

  private static AttemptHistory tries(String model, StreamUsage usage) {
    return UpstreamFixture.attempt(model, 0, 0, usage);
  }

  private void servesWithout(String model, long now) {
    judge(200, ErrorCause.OTHER, tries(model, StreamUsage.TAKEN_OUT), now);
  }

  private long times(String model) {
    return upstream.usageRefusals(upstream.pool(model, NOW));
  }

  @Test
  void optionThatTheGatewayAdded_isRefused_isTriedWithoutIt_andChangesNothingYet() {
    assertThat(refuses(tries("m", StreamUsage.ADDED))).isEqualTo(AttemptVerdict.WITHOUT_USAGE);
    assertThat(upstream.injectsUsage("m", NOW)).isTrue();
    assertThat(times("m")).isZero();
  }

  @ParameterizedTest
  @EnumSource(value = StreamUsage.class, names = "ADDED", mode = EnumSource.Mode.EXCLUDE)
  void refusalOfAnythingElse_isTheClients_andChangesNothing(StreamUsage usage) {
    assertThat(refuses(tries("m", usage))).isEqualTo(AttemptVerdict.PASS);
    assertThat(upstream.injectsUsage("m", NOW)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"0, false", "2, true"})
  void requestThatCannotBeRepeated_hearsTheRefusal(int broken, boolean repeatable) {
    AttemptHistory attemptHistory =
        new AttemptHistory(
            "m", 0, broken, repeatable, StreamUsage.ADDED, null, false, false, false);
    assertThat(refuses(attemptHistory)).isEqualTo(AttemptVerdict.PASS);
    assertThat(upstream.injectsUsage("m", NOW)).isTrue();
  }

  @Test
  void servedWithoutIt_thatModelIsNotAskedForTenMinutes() {
    servesWithout("m", NOW);
    assertThat(upstream.injectsUsage("m", NOW)).isFalse();
    assertThat(upstream.injectsUsage("other", NOW)).isTrue();
    assertThat(upstream.injectsUsage("m", NOW + TEN_MINUTES - 1)).isFalse();
    assertThat(upstream.injectsUsage("m", NOW + TEN_MINUTES)).isTrue();
    assertThat(times("m")).isEqualTo(1);
    assertThat(times("other")).isZero();
  }

  @ParameterizedTest
  @CsvSource({"400", "429", "500"})
  void failsWithoutItToo_changesNothing(int status) {
    judge(status, ErrorCause.OTHER, tries("m", StreamUsage.TAKEN_OUT), NOW);
    assertThat(upstream.injectsUsage("m", NOW)).isTrue();
  }

  @Test
  void othersThatWereUnderWay_prolongNothing_andCountOnce() {
    servesWithout("m", NOW);
    servesWithout("m", NOW + 1);
    assertThat(upstream.injectsUsage("m", NOW + TEN_MINUTES)).isTrue();
    assertThat(times("m")).isEqualTo(1);
    servesWithout("m", NOW + TEN_MINUTES);
    assertThat(upstream.injectsUsage("m", NOW + TEN_MINUTES)).isFalse();
    assertThat(times("m")).isEqualTo(2);
  }

  @Test
  void moreModelsThanAny_areAskedAgainAndAgain() {
    for (int each = 0; each <= UsageRefusals.MOST; each++) {
      servesWithout("m" + each, NOW);
    }
    assertThat(upstream.injectsUsage("m" + (UsageRefusals.MOST - 1), NOW)).isFalse();
    assertThat(upstream.injectsUsage("m" + UsageRefusals.MOST, NOW)).isTrue();
    servesWithout("late", NOW + TEN_MINUTES);
    assertThat(upstream.injectsUsage("late", NOW + TEN_MINUTES)).isFalse();
  }

  @Test
  void configuredAnew_isAskedAgain_andConfiguredAlike_isNot() {
    servesWithout("m", NOW);
    applied(100);
    assertThat(upstream.injectsUsage("m", NOW)).isFalse();
    applied(200);
    assertThat(upstream.injectsUsage("m", NOW)).isTrue();
    assertThat(times("m")).isEqualTo(1);
  }
}
