package io.penstock.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.fake.FakeTicker;
import io.penstock.model.ModelDecision.Code;
import io.penstock.quota.Charge;
import io.penstock.quota.Quota;
import io.penstock.quota.WaitList;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DecisionWaitsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 1_000 * SECOND;
  private static final long LATE = NOW + 1_000 * SECOND;

  /** Runs the step when it is due, and counts the runs. */
  private final class Alarm implements StepAlarm {
    private @Nullable Runnable soon;
    private @Nullable Runnable step;
    private long instant = Ticker.NEVER;
    private int steps;

    @Override
    public void soon(Runnable step) {
      soon = step;
    }

    @Override
    public void at(long instantNanos, Runnable step) {
      instant = instantNanos;
      this.step = step;
    }

    void run() {
      while (soon != null || instant <= ticker.nanos()) {
        Runnable next = Objects.requireNonNull(soon == null ? step : soon);
        if (soon == null) {
          instant = Ticker.NEVER;
        }
        soon = null;
        steps++;
        next.run();
      }
    }
  }

  private final FakeTicker ticker = new FakeTicker();
  private final Alarm alarm = new Alarm();
  private final ModelQuotas models = new ModelQuotas(new LocalLimitSource(), WINDOW);
  private final DecisionService decisionService = new DecisionService(models);
  private final DecisionWaits decisionWaits =
      new DecisionWaits(models, decisionService, ticker, alarm);
  private final List<String> decisions = new ArrayList<>();

  @BeforeEach
  void configure() {
    ticker.set(NOW);
    models.configure(List.of(), Map.of("m", new ModelLimits(0, 1_000, 0)), NOW);
  }

  private Runnable enter(String name, long tokens, long deadline) {
    Runnable leave =
        decisionWaits.enter(
            "m", tokens, deadline, decision -> decisions.add(name + " " + decision.code().text()));
    alarm.run();
    return Objects.requireNonNull(leave);
  }

  private void at(long instant) {
    ticker.set(instant);
    alarm.run();
  }

  private void record(long tokens) {
    decisionService.record("m", tokens, ticker.nanos());
  }

  @Test
  void room_isToldAtOnce() {
    enter("a", 1_000, LATE);
    assertThat(decisions).containsExactly("a ok");
    assertThat(decisionWaits.size()).isZero();
  }

  @Test
  void moreThanAMinutesTokens_isRefusedAtOnce() {
    enter("a", 1_001, LATE);
    assertThat(decisions).containsExactly("a tpm_exceeded");
    assertThat(decisionWaits.size()).isZero();
  }

  @Test
  void noRoom_isWaitedFor_toTheComputedInstant_withoutALookBefore() {
    record(1_000);
    enter("a", 1, LATE);
    int steps = alarm.steps;
    long opens = NOW + WINDOW + SECOND;
    assertThat(alarm.instant).isEqualTo(opens);
    at(opens - 1);
    assertThat(decisions).isEmpty();
    assertThat(alarm.steps).isEqualTo(steps);
    at(opens);
    assertThat(decisions).containsExactly("a ok");
    assertThat(alarm.steps).isEqualTo(steps + 1);
    assertThat(alarm.instant).isEqualTo(Ticker.NEVER);
  }

  @Test
  void allWhoseTokensFit_goTogether_theOthersWhenTheyDo() {
    record(400);
    ticker.advance(10 * SECOND);
    record(600);
    enter("more", 500, LATE);
    enter("less", 300, LATE);
    enter("least", 1, LATE);
    at(NOW + WINDOW + SECOND);
    assertThat(decisions).containsExactly("least ok", "less ok");
    at(NOW + WINDOW + 11 * SECOND);
    assertThat(decisions).last().isEqualTo("more ok");
    assertThat(decisionWaits.size()).isZero();
  }

  @Test
  void deadline_isKept_andSaysWhatIsInTheWay() {
    record(1_000);
    enter("a", 1, NOW + 5 * SECOND);
    enter("b", 1, LATE);
    at(NOW + 5 * SECOND - 1);
    assertThat(decisions).isEmpty();
    at(NOW + 5 * SECOND);
    assertThat(decisions).containsExactly("a tpm_exceeded");
    assertThat(decisionWaits.size()).isEqualTo(1);
    enter("now", 1, ticker.nanos());
    assertThat(decisions).last().isEqualTo("now tpm_exceeded");
  }

  @Test
  void whoLeaves_isToldNothing() {
    record(1_000);
    Runnable leave = enter("a", 1, LATE);
    enter("b", 1, NOW + 1);
    leave.run();
    assertThat(decisionWaits.size()).isEqualTo(1);
    leave.run();
    assertThat(decisionWaits.size()).isEqualTo(1);
    at(NOW + 1);
    assertThat(decisions).containsExactly("b tpm_exceeded");
    decisions.clear();
    at(NOW + 2 * WINDOW);
    assertThat(decisions).isEmpty();
  }

  @Test
  void whatIsGivenBack_isToldAtOnce_alsoWhereNoInstantWasKnown() {
    Quota quota = Objects.requireNonNull(models.of("m", NOW));
    List<Charge> charges = new ArrayList<>();
    quota.take(new Cost(0, 1_000, 0), NOW, charges);
    enter("a", 1, LATE);
    assertThat(alarm.instant).isEqualTo(LATE);
    charges.forEach(charge -> charge.giveBack(NOW));
    quota.waitList().wake();
    alarm.run();
    assertThat(decisions).containsExactly("a ok");
  }

  @Test
  void reset_andOtherTerms_areSeen() {
    record(1_000);
    enter("a", 500, LATE);
    enter("b", 1_000, LATE);
    models.override("m", new ModelLimits(0, 1_500, 0), NOW);
    alarm.run();
    assertThat(decisions).containsExactly("a ok");
    models.override("m", new ModelLimits(0, 900, 0), NOW);
    alarm.run();
    assertThat(decisions).containsExactly("a ok", "b " + Code.TPM_EXCEEDED.text());
    enter("c", 500, LATE);
    models.reset("m", NOW);
    alarm.run();
    assertThat(decisions).last().isEqualTo("c ok");
  }

  @Test
  void waits_areBounded() {
    record(1_000);
    for (int each = 0; each < DecisionWaits.MOST; each++) {
      decisionWaits.enter("m", 1, LATE, decision -> decisions.add("one"));
    }
    assertThat(decisionWaits.enter("m", 1, LATE, decision -> decisions.add("too many"))).isNull();
    at(NOW + WINDOW + SECOND);
    assertThat(decisions).hasSize(DecisionWaits.MOST).doesNotContain("too many");
    assertThat(decisionWaits.size()).isZero();
  }

  @Test
  void asManyTokens_goInTheOrderInWhichTheyCame_whileMoreDoNotFit() {
    record(400);
    ticker.advance(10 * SECOND);
    record(600);
    enter("more", 500, LATE);
    enter("first", 7, LATE);
    enter("second", 7, LATE);
    enter("third", 7, LATE);
    at(NOW + WINDOW + SECOND);
    assertThat(decisions).containsExactly("first ok", "second ok", "third ok");
  }

  @Test
  void deadlineOfNow_isToldByWhoEnters() {
    record(1_000);
    Runnable leave =
        decisionWaits.enter("m", 1, NOW, decision -> decisions.add(decision.code().text()));
    assertThat(decisions).containsExactly("tpm_exceeded");
    assertThat(leave).isNotNull();
    assertThat(alarm.soon).isNull();
  }

  @Test
  void quotaThatNobodyWaitsForAnyMore_wakesNobody() {
    record(1_000);
    WaitList waitList = Objects.requireNonNull(models.of("m", NOW)).waitList();
    enter("a", 1, LATE).run();
    waitList.wake();
    assertThat(alarm.soon).as("left").isNull();
    enter("b", 1, NOW + 1);
    waitList.wake();
    assertThat(alarm.soon).as("waits").isNotNull();
    at(NOW + 1);
    assertThat(decisions).containsExactly("b tpm_exceeded");
    waitList.wake();
    assertThat(alarm.soon).as("was told").isNull();
  }
}
