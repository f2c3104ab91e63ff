package io.penstock.gateway.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.suite.Hostile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BodyBudgetTest {
  private static final long KIB = 1024;
  private static final long MIB = KIB * KIB;

  /**
   * An eighth of the budget is for small bodies; the other 14 MiB are for all, and a tenant may
   * have 4 MiB of those.
   */
  private final BodyBudget budget = new BodyBudget(16 * MIB, 0.25);

  private final List<String> resumed = new ArrayList<>();

  private BodyBudget.Claim claim(String tenant, long stated) {
    BodyBudget.Claim claim = budget.claim(tenant);
    claim.expect(stated, 32 * MIB);
    return claim;
  }

  private boolean mayRead(BodyBudget.Claim claim, String name) {
    return claim.mayRead(() -> resumed.add(name));
  }

  private BodyBudget.Claim reading(String tenant, long stated) {
    BodyBudget.Claim claim = claim(tenant, stated);
    assertThat(mayRead(claim, tenant)).as(tenant).isTrue();
    return claim;
  }

  private BodyBudget.Claim waiting(String tenant, long stated, String name) {
    BodyBudget.Claim claim = claim(tenant, stated);
    assertThat(mayRead(claim, name)).as(name).isFalse();
    return claim;
  }

  private void emptied(BodyBudget.Claim... claims) {
    for (BodyBudget.Claim claim : claims) {
      claim.release();
    }
    assertThat(budget.heldBytes()).isZero();
    assertThat(budget.parkedBytes()).isZero();
    assertThat(budget.waiting()).isZero();
    assertThat(budget.waitingBytes()).isZero();
    assertThat(budget.tenants()).isZero();
  }

  @Test
  void budgetOfNothing_isRefused() {
    assertThatThrownBy(() -> new BodyBudget(0, 1)).hasMessageContaining("at least 1");
  }

  @Test
  void statedLength_isHeldFromTheFirstPieceOn() {
    BodyBudget.Claim a = reading("a", 3 * MIB);
    assertThat(budget.heldBytes()).isEqualTo(3 * MIB);
    a.add(3 * MIB);
    assertThat(mayRead(a, "a")).as("the end of the body").isTrue();
    a.complete();
    assertThat(budget.heldBytes()).isEqualTo(3 * MIB);
    emptied(a);
  }

  @Test
  void emptyBody_needsNoRoom() {
    BodyBudget.Claim all = reading("a", 20 * MIB);
    BodyBudget.Claim none = reading("a", 0);
    assertThat(budget.heldBytes()).isEqualTo(20 * MIB);
    emptied(all, none);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void tenantAtItsShare_waits_andOthersDoNot() {
    BodyBudget.Claim first = reading("a", 3 * MIB);
    BodyBudget.Claim exact = reading("a", MIB);
    BodyBudget.Claim more = waiting("a", 100 * KIB, "more");
    BodyBudget.Claim other = reading("b", 4 * MIB);
    assertThat(budget.waiting()).isEqualTo(1);
    assertThat(budget.waitingBytes()).isEqualTo(100 * KIB);
    exact.release();
    assertThat(resumed).containsExactly("more");
    assertThat(mayRead(more, "more")).isTrue();
    emptied(first, more, other);
  }

  @Test
  void oneBodyLargerThanTheShare_isReadWhereItsTenantHoldsNothing() {
    BodyBudget.Claim large = reading("a", 5 * MIB);
    BodyBudget.Claim next = waiting("a", 5 * MIB, "next");
    large.release();
    assertThat(resumed).containsExactly("next");
    emptied(next);
  }

  @Test
  void oneBodyLargerThanTheBudget_isReadWhereNobodyHoldsAnything() {
    BodyBudget.Claim small = reading("a", 100 * KIB);
    BodyBudget.Claim large = waiting("b", 20 * MIB, "large");
    small.release();
    assertThat(resumed).containsExactly("large");
    emptied(large);
  }

  @Test
  void smallBodies_passWhileLargeOnesWait_asFarAsThePartKeptForThemGoes() {
    List<BodyBudget.Claim> large = new ArrayList<>();
    for (String tenant : List.of("a", "b", "c")) {
      large.add(reading(tenant, 4 * MIB));
    }
    BodyBudget.Claim rest = reading("d", 2 * MIB);
    BodyBudget.Claim none = waiting("e", 65 * KIB, "none");
    List<BodyBudget.Claim> small = new ArrayList<>();
    for (int each = 0; each < 8; each++) {
      small.add(
          reading(
              "e",
              BodyBudget.SMALL_BYTES)); // a quarter of the 2 MiB that are kept for small bodies
    }
    BodyBudget.Claim tooMany = waiting("e", 1, "small");
    BodyBudget.Claim other = reading("a", 1);
    assertThat(budget.heldBytes()).isEqualTo(14 * MIB + 512 * KIB + 1);
    small.getFirst().release();
    assertThat(resumed).containsExactly("small");
    large.forEach(BodyBudget.Claim::release);
    small.forEach(BodyBudget.Claim::release);
    emptied(rest, none, tooMany, other);
  }

  @Test
  void smallBodyThatWaits_takesWhicheverRoomComesFirst() {
    BodyBudget.Claim all = reading("a", 4 * MIB);
    List<BodyBudget.Claim> kept = new ArrayList<>();
    for (int each = 0; each < 8; each++) {
      kept.add(reading("a", BodyBudget.SMALL_BYTES));
    }
    BodyBudget.Claim small = waiting("a", 10, "small");
    all.release();
    assertThat(resumed).containsExactly("small");
    kept.forEach(BodyBudget.Claim::release);
    emptied(small);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void claimsOfOneTenant_areGrantedInOrder_andTenantsTakeTurns() {
    BodyBudget.Claim all = reading("x", 20 * MIB);
    List<BodyBudget.Claim> waiting = new ArrayList<>();
    for (String name : List.of("a1", "a2", "a3", "b1", "b2")) {
      waiting.add(waiting(name.substring(0, 1), 2 * MIB, name));
    }
    all.release();
    assertThat(resumed).containsExactly("a1", "b1", "a2", "b2"); // a3 exceeds the share of a
    waiting.getFirst().release();
    assertThat(resumed).endsWith("a3");
    emptied(waiting.toArray(BodyBudget.Claim[]::new));
  }

  @Test
  void claimThatLacksRoomInThePool_isNotOvertaken() {
    BodyBudget.Claim a = reading("a", 4 * MIB);
    BodyBudget.Claim b = reading("b", 4 * MIB);
    BodyBudget.Claim c = reading("c", 4 * MIB);
    BodyBudget.Claim large = waiting("d", 4 * MIB, "large");
    BodyBudget.Claim late = waiting("e", MIB, "late");
    a.release();
    assertThat(resumed).containsExactly("large", "late");
    emptied(b, c, large, late);
  }

  @Test
  void claimThatWaitsAndLeaves_isNotResumed_andLetsOthersPass() {
    BodyBudget.Claim a = reading("a", 10 * MIB);
    BodyBudget.Claim cancelled = waiting("b", 14 * MIB, "gone");
    BodyBudget.Claim next = waiting("c", 2 * MIB, "next");
    cancelled.release();
    assertThat(resumed).containsExactly("next");
    assertThat(mayRead(cancelled, "gone")).isFalse();
    emptied(a, next);
  }

  @Test
  void unstatedLength_growsAsItIsRead_andShrinksToWhatItWas() {
    BodyBudget.Claim a = reading("a", -1);
    assertThat(budget.heldBytes()).isEqualTo(64 * KIB);
    a.add(60 * KIB);
    assertThat(mayRead(a, "a")).isTrue();
    assertThat(budget.heldBytes()).isEqualTo(64 * KIB);
    a.add(4 * KIB);
    assertThat(mayRead(a, "a")).isTrue();
    assertThat(budget.heldBytes()).isEqualTo(128 * KIB);
    a.add(70 * KIB);
    assertThat(mayRead(a, "a")).isTrue();
    assertThat(budget.heldBytes()).isEqualTo(256 * KIB);
    a.complete();
    assertThat(budget.heldBytes()).isEqualTo(134 * KIB);
    emptied(a);
  }

  @Test
  void unstatedLength_neverCountsWithMoreThanIsTaken() {
    BodyBudget.Claim a = budget.claim("a");
    a.expect(-1, 100 * KIB);
    assertThat(mayRead(a, "a")).isTrue();
    a.add(64 * KIB);
    assertThat(mayRead(a, "a")).isTrue();
    assertThat(budget.heldBytes()).isEqualTo(100 * KIB);
    a.add(36 * KIB);
    assertThat(mayRead(a, "a")).as("the end, or one byte too many").isTrue();
    emptied(a);
  }

  @Test
  void bodiesOfUnstatedLength_doNotWaitForEachOther() {
    BodyBudget.Claim a = reading("t", -1);
    BodyBudget.Claim b = reading("t", -1);
    for (BodyBudget.Claim each : List.of(a, b)) {
      for (long read = 0; read < 2 * MIB; read += 64 * KIB) {
        assertThat(mayRead(each, "early")).isTrue();
        each.add(64 * KIB);
      }
    }
    assertThat(budget.heldBytes()).isEqualTo(4 * MIB);
    assertThat(mayRead(a, "a")).as("the other one is not stuck yet").isFalse();
    assertThat(mayRead(b, "b")).as("one of them goes on").isFalse();
    assertThat(resumed).containsExactly("a");
    a.add(2 * MIB);
    a.complete();
    assertThat(resumed).containsExactly("a");
    a.release();
    assertThat(resumed).containsExactly("a", "b");
    emptied(b);
  }

  @Test
  void bodyThatGrows_goesBeforeNewOnes() {
    BodyBudget.Claim held = reading("t", 3 * MIB);
    BodyBudget.Claim grows = reading("t", -1);
    for (long read = 0; read < MIB / 2; read += 64 * KIB) {
      assertThat(mayRead(grows, "early")).isTrue();
      grows.add(64 * KIB);
    }
    assertThat(mayRead(grows, "early")).isTrue();
    grows.add(MIB / 2);
    BodyBudget.Claim fresh = waiting("t", MIB, "fresh");
    assertThat(mayRead(grows, "grows")).isFalse();
    held.release();
    assertThat(resumed).containsExactly("grows", "fresh");
    emptied(grows, fresh);
  }

  @Test
  void bodyThatEndsWhileItWaitsToGrow_waitsNoMore() {
    BodyBudget.Claim held = reading("t", 4 * MIB);
    BodyBudget.Claim grows = reading("t", -1); // taken from the part for small bodies
    grows.add(70 * KIB);
    assertThat(mayRead(grows, "grows")).isFalse();
    grows.complete();
    assertThat(budget.waiting()).isZero();
    assertThat(budget.heldBytes()).isEqualTo(4 * MIB + 70 * KIB);
    assertThat(mayRead(grows, "grows")).isTrue();
    assertThat(resumed).isEmpty();
    emptied(held, grows);
  }

  @Test
  void claimReleasedTwice_givesBackOnce() {
    BodyBudget.Claim a = reading("a", 2 * MIB);
    BodyBudget.Claim b = reading("b", MIB);
    a.release();
    a.release();
    a.complete();
    assertThat(budget.heldBytes()).isEqualTo(MIB);
    assertThat(mayRead(a, "a")).isFalse();
    emptied(b);
  }

  private BodyBudget.Claim parked(String tenant, long bytes) {
    BodyBudget.Claim claim = reading(tenant, bytes);
    assertThat(claim.park()).as("%s %d", tenant, bytes).isTrue();
    return claim;
  }

  private BodyBudget.Claim notParked(String tenant, long bytes) {
    BodyBudget.Claim claim = reading(tenant, bytes);
    assertThat(claim.park()).as("%s %d", tenant, bytes).isFalse();
    return claim;
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void bodiesThatWaitInQueues_holdAtMostHalf_andLeaveRoomForTheNextTenant() {
    // of the 8 MiB, 7 are for all; each may have three times what is free
    BodyBudget.Claim a = parked("a", 4 * MIB);
    BodyBudget.Claim b = notParked("b", 3 * MIB);
    b.release();
    b = parked("b", 2_304 * KIB);
    BodyBudget.Claim tooMuch = notParked("b", 65 * KIB);
    BodyBudget.Claim c = parked("c", 576 * KIB);
    BodyBudget.Claim d = parked("d", 144 * KIB);
    assertThat(budget.parkedBytes()).isEqualTo(7 * MIB - 48 * KIB);
    assertThat(budget.notParked()).isEqualTo(2);
    a.unpark();
    a.unpark();
    assertThat(budget.parkedBytes()).isEqualTo(3 * MIB - 48 * KIB);
    assertThat(tooMuch.park()).isTrue();
    emptied(a, b, tooMuch, c, d);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void oneBodyLargerThanTheShare_waits_andLeavesRoomForOthers() {
    BodyBudget.Claim large = parked("large", 11 * MIB);
    assertThat(budget.parkedBytes()).isEqualTo(11 * MIB);
    BodyBudget.Claim medium = parked("other", 2 * MIB);
    BodyBudget.Claim small = parked("third", 100 * KIB);
    emptied(large, medium, small);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void tenantWithItsShareOfWaitingBodies_hasNoMoreOfThem_butSmallOnes() {
    BodyBudget.Claim all = reading("a", 0);
    List<BodyBudget.Claim> claims = new ArrayList<>();
    claims.add(parked("a", 4 * MIB));
    for (int each = 0; each < 8; each++) {
      claims.add(parked("a", BodyBudget.SMALL_BYTES));
    }
    assertThat(budget.parkedBytes()).isEqualTo(4 * MIB + 512 * KIB);
    assertThat(all.park()).as("a body of no bytes").isTrue();
    claims.add(parked("b", 2 * MIB));
    claims.add(all);
    emptied(claims.toArray(BodyBudget.Claim[]::new));
  }

  @Test
  void smallBodiesWait_whereLargeOnesHaveTakenTheRest() {
    List<BodyBudget.Claim> claims = new ArrayList<>();
    claims.add(parked("a", 4 * MIB));
    claims.add(parked("b", 2_304 * KIB));
    claims.add(parked("c", 576 * KIB));
    claims.add(parked("d", 144 * KIB));
    for (int each = 0; each < 8; each++) {
      claims.add(parked("e", BodyBudget.SMALL_BYTES));
    }
    claims.add(notParked("e", BodyBudget.SMALL_BYTES));
    claims.add(parked("f", BodyBudget.SMALL_BYTES));
    assertThat(budget.parkedBytes()).isEqualTo(7 * MIB - 48 * KIB + 576 * KIB);
    emptied(claims.toArray(BodyBudget.Claim[]::new));
  }

  @Test
  void bodyThatWaitsTwice_countsOnce_andIsGivenBackWithItsClaim() {
    BodyBudget.Claim a = parked("a", MIB);
    assertThat(a.park()).isTrue();
    assertThat(budget.parkedBytes()).isEqualTo(MIB);
    emptied(a);
    assertThat(a.park()).as("of a request that is over").isTrue();
    assertThat(budget.parkedBytes()).isZero();
  }
}
