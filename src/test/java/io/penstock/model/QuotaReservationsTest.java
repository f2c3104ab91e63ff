package io.penstock.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.Cost;
import io.penstock.model.ModelDecision.Code;
import io.penstock.quota.WokenWaiters;
import io.penstock.sharing.LocalLimitSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class QuotaReservationsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 1_000 * SECOND;
  private static final long TIMEOUT = 600 * SECOND;

  private final ModelQuotas models = new ModelQuotas(new LocalLimitSource(), WINDOW);
  private final DecisionService decisionService = new DecisionService(models);
  private final QuotaReservations reservations =
      new QuotaReservations(models, decisionService, TIMEOUT);

  @BeforeEach
  void configure() {
    models.configure(
        List.of(), Map.of("m", new ModelLimits(0, 1_000, 0), "free", ModelLimits.NONE), NOW);
  }

  private String made(String model, long tokens, long now) {
    QuotaReservations.Answer answer = reservations.reserve(model, tokens, now);
    assertThat(answer).isInstanceOf(QuotaReservations.Made.class);
    return ((QuotaReservations.Made) answer).id();
  }

  private long used(long now) {
    return decisionService.decide("m", 0, now).stats().tpm();
  }

  @Test
  void reserving_takesAtOnce_orSaysWhyNot() {
    made("m", 600, NOW);
    assertThat(used(NOW)).isEqualTo(600);
    assertThat(reservations.reserve("m", 401, NOW))
        .isInstanceOfSatisfying(
            QuotaReservations.Denied.class,
            denied -> assertThat(denied.decision().code()).isEqualTo(Code.TPM_EXCEEDED));
    assertThat(used(NOW)).isEqualTo(600);
    made("m", 400, NOW);
    assertThat(reservations.size()).isEqualTo(2);
  }

  @Test
  void settling_givesBackWhatWasTooMuch_once() {
    String id = made("m", 600, NOW);
    assertThat(reservations.settle(id, 100, NOW + SECOND))
        .isEqualTo(new QuotaReservations.Ended("m", 600));
    assertThat(used(NOW + SECOND)).isEqualTo(100);
    assertThat(reservations.settle(id, 100, NOW + SECOND)).isNull();
    assertThat(reservations.release(id, NOW + SECOND)).isNull();
    assertThat(used(NOW + SECOND)).isEqualTo(100);
  }

  @Test
  void settling_chargesWhatWasTooLittle() {
    String id = made("m", 600, NOW);
    reservations.settle(id, 1_500, NOW);
    assertThat(used(NOW)).isEqualTo(1_500);
  }

  @Test
  void settlingAfterTheWindow_givesNothingBack() {
    String id = made("m", 600, NOW);
    long later = NOW + 2 * WINDOW;
    made("m", 1_000, later);
    reservations.settle(id, 100, later);
    assertThat(used(later)).isEqualTo(1_000);
  }

  @Test
  void releasing_returnsAll_theRequestToo() {
    String id = made("m", 600, NOW);
    assertThat(reservations.release(id, NOW)).isEqualTo(new QuotaReservations.Ended("m", 600));
    assertThat(used(NOW)).isZero();
    assertThat(decisionService.decide("m", 0, NOW).stats().rpm()).isZero();
    assertThat(decisionService.decide("m", 0, NOW).stats().rpd()).isZero();
  }

  @Test
  void unknownAndUnlimitedModels_areReservedToo() {
    assertThat(reservations.settle(made("x", 5, NOW), 7, NOW)).isNotNull();
    assertThat(reservations.settle(made("free", 5, NOW), 7, NOW)).isNotNull();
    assertThat(decisionService.decide("free", 0, NOW).stats().tpm()).isEqualTo(7);
  }

  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void unlimitedModel_usedBeyondAllMeasure_isReservedAllTheSame() {
    for (int i = 0; i < 600; i++) {
      decisionService.record("free", 2 * Cost.MAX_TOKENS, NOW);
    }
    String id = made("free", 5, NOW);
    assertThat(reservations.settle(id, 7, NOW)).isNotNull();
  }

  @Test
  void unsettled_isForgottenAtItsTimeout_andStaysTaken() {
    QuotaReservations late = new QuotaReservations(models, decisionService, WINDOW / 2);
    QuotaReservations.Made made = (QuotaReservations.Made) late.reserve("m", 600, NOW);
    QuotaReservations.Made other = (QuotaReservations.Made) late.reserve("m", 100, NOW);
    assertThat(made.expiresNanos()).isEqualTo(NOW + WINDOW / 2);
    assertThat(late.settle(other.id(), 0, NOW + WINDOW / 2 - 1)).isNotNull();
    assertThat(late.settle(made.id(), 0, NOW + WINDOW / 2)).isNull();
    assertThat(late.size()).isZero();
    assertThat(used(NOW + WINDOW / 2)).isEqualTo(600);
  }

  @Test
  void reservations_areBounded_andMakeRoomWhenTheyExpire() {
    for (int each = 0; each < QuotaReservations.MOST; each++) {
      made("x", 1, NOW);
    }
    assertThat(reservations.reserve("x", 1, NOW)).isEqualTo(new QuotaReservations.TooMany());
    assertThat(reservations.reserve("x", 1, NOW + TIMEOUT - 1))
        .isEqualTo(new QuotaReservations.TooMany());
    made("x", 1, NOW + TIMEOUT);
    assertThat(reservations.size()).isEqualTo(1);
  }

  @Test
  void ids_cannotBeMistaken() {
    assertThat(made("m", 1, NOW)).matches("[0-9a-f]{32}").isNotEqualTo(made("m", 1, NOW));
    assertThat(reservations.release("", NOW)).isNull();
  }

  @Test
  void settlingWakesWhoWaits() {
    WokenWaiters woken = new WokenWaiters();
    String id = made("m", 600, NOW);
    Objects.requireNonNull(models.of("m", NOW)).waitList().join(woken);
    reservations.settle(id, 1, NOW);
    assertThat(woken.times).isEqualTo(1);
    reservations.release(made("m", 1, NOW), NOW);
    assertThat(woken.times).isEqualTo(2);
  }

  @Test
  void timeout_isMoreThanNothing() {
    assertThatThrownBy(() -> new QuotaReservations(models, decisionService, 0))
        .hasMessageContaining("timeoutNanos is 0");
  }

  @Test
  void manyAtOnce_neverTakeMoreThanThereIs() throws Exception {
    AtomicInteger made = new AtomicInteger();
    Callable<Void> reserves =
        () -> {
          for (int each = 0; each < 500; each++) {
            if (reservations.reserve("m", 7, NOW) instanceof QuotaReservations.Made one) {
              made.incrementAndGet();
              if (each % 3 == 0 && reservations.release(one.id(), NOW) != null) {
                made.decrementAndGet();
              }
            }
            assertThat(used(NOW)).isLessThanOrEqualTo(1_000);
          }
          return null;
        };
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<Future<Void>> all = new ArrayList<>();
      for (int thread = 0; thread < 8; thread++) {
        all.add(threads.submit(reserves));
      }
      for (Future<Void> each : all) {
        each.get();
      }
    }
    assertThat(made.get()).isEqualTo(1_000 / 7);
    assertThat(used(NOW)).isEqualTo(1_000 / 7 * 7);
  }
}
