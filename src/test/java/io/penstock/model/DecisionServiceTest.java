package io.penstock.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.penstock.cost.Cost;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelDecision.Code;
import io.penstock.queue.Ticket;
import io.penstock.quota.Charge;
import io.penstock.quota.Quota;
import io.penstock.quota.WaitList;
import io.penstock.quota.WokenWaiters;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DecisionServiceTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 1_000 * SECOND;
  private static final long DAY = LimitSpec.Day.NANOS;

  /**
   * End of the time during which a use at {@link #NOW} counts: until its sub-cell, one second here,
   * has left the window.
   */
  private static final long GONE = NOW + WINDOW + SECOND;

  private final ModelQuotas models = new ModelQuotas(new LocalLimitSource(), WINDOW);
  private final DecisionService decisionService = new DecisionService(models);

  @BeforeEach
  void configure() {
    models.configure(
        List.of(),
        Map.of(
            "m", new ModelLimits(3, 1_000, 5),
            "day", new ModelLimits(0, 0, 2),
            "free", ModelLimits.NONE),
        NOW);
  }

  private ModelDecision decide(String model, long tokens, long now) {
    return decisionService.decide(model, tokens, now);
  }

  private void record(String model, int times, long tokens, long now) {
    for (int each = 0; each < times; each++) {
      assertThat(decisionService.record(model, tokens, now)).isTrue();
    }
  }

  @Test
  void unusedModel_isOk_withWhatItMayBeAsked() {
    ModelDecision decision = decide("m", 1_000, NOW);
    assertThat(decision.code()).isEqualTo(Code.OK);
    assertThat(decision.allowed()).isTrue();
    assertThat(decision.allowedAtNanos()).isEqualTo(NOW);
    assertThat(decision.utilization()).isZero();
    assertThat(decision.stats())
        .isEqualTo(
            new ModelDecision.Stats(
                new ModelLimits(3, 1_000, 5), 0, 0, 0, NOW - WINDOW, Ticker.NEVER));
  }

  @Test
  void unknownModel_isAllowed_andNothingIsRecorded() {
    assertThat(decide("x", 1, NOW).code()).isEqualTo(Code.UNKNOWN_MODEL);
    assertThat(decide("x", 1, NOW).allowed()).isTrue();
    assertThat(decisionService.record("x", 1, NOW)).isFalse();
    assertThat(decide("x", 1, NOW).stats())
        .isEqualTo(new ModelDecision.Stats(ModelLimits.NONE, 0, 0, 0, NOW - WINDOW, Ticker.NEVER));
  }

  @Test
  void modelWithoutLimits_isAllowed_andCounted() {
    record("free", 2, 10, NOW);
    ModelDecision decision = decide("free", 1L << 40, NOW);
    assertThat(decision.code()).isEqualTo(Code.UNLIMITED);
    assertThat(decision.allowed()).isTrue();
    assertThat(decision.stats())
        .isEqualTo(new ModelDecision.Stats(ModelLimits.NONE, 2, 20, 2, NOW - WINDOW, NOW));
  }

  @ParameterizedTest
  @ValueSource(strings = {"m", "free", "x"})
  void tokensThatNoRequestHas_areInvalid(String model) {
    for (long tokens : new long[] {-1, Long.MIN_VALUE, Cost.MAX_TOKENS + 1, Long.MAX_VALUE}) {
      assertThat(decide(model, tokens, NOW).code()).isEqualTo(Code.INVALID_TOKENS);
      assertThat(decide(model, tokens, NOW).allowed()).isFalse();
    }
    assertThat(decide(model, 0, NOW).allowed()).isTrue();
    assertThat(decide(model, Cost.MAX_TOKENS, NOW).code()).isNotEqualTo(Code.INVALID_TOKENS);
  }

  @Test
  void deciding_recordsNothing() {
    for (int each = 0; each < 100; each++) {
      assertThat(decide("m", 1_000, NOW).code()).isEqualTo(Code.OK);
    }
  }

  @Test
  void requestsOfTheMinute_nPass_andTheNextWhenTheFirstHasLeft() {
    record("m", 2, 1, NOW);
    assertThat(decide("m", 1, NOW).code()).isEqualTo(Code.OK);
    record("m", 1, 1, NOW);
    ModelDecision denied = decide("m", 1, NOW);
    assertThat(denied.code()).isEqualTo(Code.RPM_EXCEEDED);
    assertThat(denied.reason()).isEqualTo("3 of 3 requests of the minute are used");
    assertThat(denied.possible()).isTrue();
    assertThat(denied.allowedAtNanos()).isEqualTo(GONE);
    assertThat(denied.utilization()).isEqualTo(1);
    assertThat(decide("m", 1, GONE - 1).code()).isEqualTo(Code.RPM_EXCEEDED);
    assertThat(decide("m", 1, GONE).code()).isEqualTo(Code.OK);
  }

  @Test
  void tokensOfTheMinute_nFit_andOneMoreDoesNot() {
    record("m", 1, 400, NOW);
    assertThat(decide("m", 600, NOW).code()).isEqualTo(Code.OK);
    ModelDecision denied = decide("m", 601, NOW);
    assertThat(denied.code()).isEqualTo(Code.TPM_EXCEEDED);
    assertThat(denied.reason())
        .isEqualTo("400 of 1000 tokens of the minute are used, 601 more do not fit");
    assertThat(decide("m", 1_000, NOW).reason())
        .isEqualTo("400 of 1000 tokens of the minute are used, 1000 more do not fit");
    assertThat(decide("m", 1_001, NOW).reason())
        .isEqualTo("1001 tokens are more than the 1000 of a minute");
    assertThat(denied.allowedAtNanos()).isEqualTo(GONE);
    assertThat(decide("m", 601, GONE).code()).isEqualTo(Code.OK);
  }

  @Test
  void tokensThatNeverFit_areDeniedForGood() {
    assertThat(decide("m", 1_000, NOW).code()).isEqualTo(Code.OK);
    ModelDecision denied = decide("m", 1_001, NOW);
    assertThat(denied.code()).isEqualTo(Code.TPM_EXCEEDED);
    assertThat(denied.possible()).isFalse();
    assertThat(denied.allowedAtNanos()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void day_isOf24Hours_fromItsFirstRequest() {
    long first = NOW + 7;
    record("day", 2, 1, first);
    ModelDecision denied = decide("day", 1, first + SECOND);
    assertThat(denied.code()).isEqualTo(Code.RPD_EXCEEDED);
    assertThat(denied.allowedAtNanos()).isEqualTo(first + DAY);
    assertThat(denied.stats().dayStartNanos()).isEqualTo(first);
    assertThat(decide("day", 1, first + DAY - 1).code()).isEqualTo(Code.RPD_EXCEEDED);
    ModelDecision next = decide("day", 1, first + DAY);
    assertThat(next.code()).isEqualTo(Code.OK);
    assertThat(next.stats().dayStartNanos()).isEqualTo(Ticker.NEVER);
    record("day", 1, 1, first + DAY + SECOND);
    assertThat(decide("day", 1, first + DAY + SECOND).stats().dayStartNanos())
        .isEqualTo(first + DAY + SECOND);
  }

  @Test
  void severalLimitsSayNo_theFirstIsNamed_andTheLastToOpenIsWaitedFor() {
    record("m", 3, 400, NOW);
    assertThat(decide("m", 1, NOW).code()).isEqualTo(Code.RPM_EXCEEDED);
    record("m", 2, 1, NOW + 2 * SECOND);
    ModelDecision denied = decide("m", 1_001, NOW + 2 * SECOND);
    assertThat(denied.code()).isEqualTo(Code.RPD_EXCEEDED);
    assertThat(denied.possible()).isFalse();
    assertThat(decide("m", 1, NOW + 2 * SECOND).allowedAtNanos()).isEqualTo(NOW + DAY);
  }

  @Test
  void trafficAndDecisions_shareOneQuota() {
    Quota quota = Objects.requireNonNull(models.of("m-latest", NOW));
    List<Charge> charges = new ArrayList<>();
    assertThat(quota.take(new Cost(300, 200, 0), NOW, charges)).isTrue();
    assertThat(decide("m", 501, NOW).code()).isEqualTo(Code.TPM_EXCEEDED);
    assertThat(decide("m", 1, NOW).stats().tpm()).isEqualTo(500);
    record("m", 1, 500, NOW);
    assertThat(quota.take(Cost.ofInput(1), NOW, charges)).isFalse();
  }

  @Test
  void outputThatIsHeld_opensAtNoKnownInstant() {
    Quota quota = Objects.requireNonNull(models.of("m", NOW));
    quota.take(new Cost(0, 900, 0), NOW, new ArrayList<>());
    ModelDecision denied = decide("m", 200, NOW);
    assertThat(denied.code()).isEqualTo(Code.TPM_EXCEEDED);
    assertThat(denied.possible()).isTrue();
    assertThat(denied.allowedAtNanos()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void overrun_isSeen_andLeavesWithItsWindow() {
    record("m", 1, 2L << 40, NOW);
    assertThat(decide("m", 0, NOW).code()).isEqualTo(Code.OK);
    assertThat(decide("m", 1, NOW).code()).isEqualTo(Code.TPM_EXCEEDED);
    assertThat(decide("m", 1, NOW).stats().tpm()).isEqualTo(2L << 40);
    assertThat(decide("m", 1_000, GONE).code()).isEqualTo(Code.OK);
  }

  @Test
  void list_isByName_withWhoSaidSo() {
    record("day", 1, 1, NOW);
    models.override("free", new ModelLimits(1, 1, 1), NOW);
    assertThat(decisionService.list(null, NOW))
        .extracting(DecisionService.Overview::model)
        .containsExactly("day", "free", "m");
    assertThat(decisionService.list(null, NOW))
        .extracting(DecisionService.Overview::source)
        .containsExactly("routes", "override", "routes");
    assertThat(decisionService.list("m", NOW))
        .singleElement()
        .isEqualTo(
            new DecisionService.Overview(
                "m",
                "routes",
                true,
                0,
                new ModelDecision.Stats(
                    new ModelLimits(3, 1_000, 5), 0, 0, 0, NOW - WINDOW, Ticker.NEVER)));
    assertThat(decisionService.list("day-latest", NOW))
        .singleElement()
        .satisfies(day -> assertThat(day.stats().rpd()).isEqualTo(1))
        .satisfies(day -> assertThat(day.utilization()).isEqualTo(0.5));
    assertThat(decisionService.list("x", NOW)).isEmpty();
  }

  @Test
  void onlyDecisionsKnowGemini_whileNothingIsConfigured() {
    models.configure(List.of(), Map.of(), NOW);
    record("gemini-2.5-pro", 150, 1, NOW);
    assertThat(decide("gemini-2.5-pro-latest", 1, NOW).code()).isEqualTo(Code.RPM_EXCEEDED);
    assertThat(decide("gemini-2.0-flash-lite", 1, NOW).code()).isEqualTo(Code.UNLIMITED);
    assertThat(models.of("gemini-2.5-pro", NOW)).isNull();
    assertThat(decisionService.list("gemini-2.5-pro", NOW))
        .allSatisfy(each -> assertThat(each.traffic()).isFalse());
  }

  @Test
  void traffic_isHeldByModelsThatHaveLimits() {
    assertThat(decisionService.list(null, NOW))
        .extracting(DecisionService.Overview::model, DecisionService.Overview::traffic)
        .containsExactly(tuple("day", true), tuple("free", false), tuple("m", true));
  }

  @ParameterizedTest
  @CsvSource({"m, TPM_EXCEEDED", "day, RPM_EXCEEDED"})
  void keptForOneWhoWaits_isDeniedToOthers_withoutAnInstant(String model, Code code) {
    WaitList waitList = Objects.requireNonNull(models.of(model, NOW)).waitList();
    WokenWaiters waiter =
        new WokenWaiters() {
          @Override
          public boolean hasWaiting(Ticket ticket) {
            return true;
          }
        };
    Ticket ticket = new Ticket(1, Cost.NO_TOKENS, 0, 0, Ticker.NEVER);
    assertThat(waitList.claim(waiter, ticket)).isTrue();
    ModelDecision denied = decide(model, 1, NOW);
    assertThat(denied.code()).isEqualTo(code);
    assertThat(denied.reason()).isEqualTo("what is left is kept for one who waits");
    assertThat(denied.possible()).isTrue();
    assertThat(denied.allowedAtNanos()).isEqualTo(Ticker.NEVER);
    waitList.release(ticket);
    assertThat(decide(model, 1, NOW).code()).isEqualTo(Code.OK);
  }

  @Test
  void whatIsOwedBeyondALimit_isUsedToo() {
    LimitSource owing =
        new LimitSource() {
          private final Map<LimitId, Limit> limits = new HashMap<>();

          @Override
          public Limit limit(LimitId id, LimitSpec spec, long now) {
            LimitSpec fixed = new LimitSpec.FixedWindow(100, WINDOW);
            return limits.computeIfAbsent(id, absent -> new Limit(fixed, now));
          }

          @Override
          public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
            throw new AssertionError("no id changes");
          }

          @Override
          public void forget(LimitId id) {}
        };
    ModelQuotas shared = new ModelQuotas(owing, WINDOW);
    shared.configure(List.of(), Map.of("m", new ModelLimits(0, 100, 0)), NOW);
    DecisionService ofShared = new DecisionService(shared);
    ofShared.record("m", 250, NOW);
    assertThat(ofShared.decide("m", 1, NOW).stats().tpm()).isEqualTo(250);
  }
}
