package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.queue.Ticket;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WaitListTest {
  private final Quota quota = new Quota("q", ChargeRule.TOTAL, List.of());
  private final WaitList waitList = quota.waitList();
  private final List<String> woken = new ArrayList<>();

  private final class Lane implements WaitList.Waiter {
    final String name;
    final long order;
    int skips;
    int most = Integer.MAX_VALUE;
    boolean lacksMore;
    boolean holds;
    int claimsElsewhere;
    boolean left;
    boolean keeps;

    Lane(String name, long order) {
      this.name = name;
      this.order = order;
    }

    @Override
    public long headOrder() {
      return order;
    }

    @Override
    public boolean keepsCharges() {
      return holds;
    }

    @Override
    public boolean precedes(Ticket ticket) {
      return order < ticket.order();
    }

    @Override
    public boolean unskippable(Ticket ticket) {
      return precedes(ticket) && skips >= most;
    }

    @Override
    public void skip(Ticket ticket) {
      skips++;
    }

    @Override
    public @Nullable Quota claim(Ticket ticket, long now) {
      if (claimsElsewhere > 0) {
        claimsElsewhere--;
        return new Quota("another", ChargeRule.TOTAL, List.of());
      }
      return !lacksMore && waitList.claim(this, ticket(order, holds)) ? quota : null;
    }

    @Override
    public boolean hasWaiting(Ticket ticket) {
      return !left;
    }

    @Override
    public void wake() {
      woken.add(name);
    }

    @Override
    public boolean mayHaveClaim() {
      return keeps;
    }
  }

  private static Ticket ticket(long order) {
    return new Ticket(order, Cost.NO_TOKENS, 0, 0, Ticker.NEVER);
  }

  private static Ticket ticket(long order, boolean holds) {
    return new Ticket(order, Cost.NO_TOKENS, 0, 0, Ticker.NEVER) {
      @Override
      public boolean keepsCharges() {
        return holds;
      }
    };
  }

  private static long keptFor(WaitList of, Lane waiter) {
    Ticket ticket = of.claimedFor(waiter);
    return ticket == null ? -1 : ticket.order();
  }

  /** Does what a dispatcher does before it takes from a quota; returns whether it may take. */
  private boolean passes(Lane waiter, long order, long now) {
    Ticket ticket = ticket(order);
    waitList.claimForUnskippable(waiter, ticket, now);
    if (waitList.isClaimedForOther(order, false)) {
      return false;
    }
    Set<WaitList.Waiter> skipped = new HashSet<>();
    waitList.addSkipped(waiter, ticket, skipped);
    skipped.forEach(each -> each.skip(ticket));
    return true;
  }

  @Test
  void laterTakes_skipEarlierOnesAndOnlyThose() {
    Lane early = new Lane("early", 1);
    Lane late = new Lane("late", 9);
    Lane taker = new Lane("taker", 5);
    waitList.join(early);
    waitList.join(late);
    waitList.join(taker);
    assertThat(passes(taker, 5, 0)).isTrue();
    assertThat(early.skips).isEqualTo(1);
    assertThat(late.skips).isZero();
    assertThat(taker.skips).isZero();
  }

  @Test
  void skippedEnough_claimsInsteadOfBeingSkippedOnceMore() {
    Lane early = new Lane("early", 1);
    early.most = 2;
    Lane taker = new Lane("taker", 5);
    waitList.join(early);
    assertThat(passes(taker, 5, 0)).isTrue();
    assertThat(passes(taker, 6, 0)).isTrue();
    assertThat(passes(taker, 7, 0)).isFalse();
    assertThat(early.skips).isEqualTo(2);
    assertThat(keptFor(waitList, early)).isEqualTo(1);
    assertThat(waitList.isClaimedForOther(7, false)).isTrue();
    assertThat(waitList.isClaimedForOther(1, false)).isFalse();
    assertThat(woken).containsExactly("early");
  }

  @Test
  void skippedEnoughButLackingMore_doesNotHoldOthersUp() {
    Lane early = new Lane("early", 1);
    early.most = 0;
    early.lacksMore = true;
    waitList.join(early);
    assertThat(passes(new Lane("taker", 5), 5, 0)).isTrue();
    assertThat(waitList.isClaimed()).isFalse();
  }

  @Test
  void twoThatMayNotBeSkipped_whoHoldsSomethingClaimsFirst() {
    Lane early = new Lane("early", 1);
    early.most = 0;
    Lane holder = new Lane("holder", 2);
    holder.most = 0;
    holder.holds = true;
    waitList.join(early);
    waitList.join(holder);
    assertThat(waitList.claimForUnskippable(new Lane("taker", 5), ticket(5), 0)).isTrue();
    assertThat(woken).containsExactly("holder");
    assertThat(keptFor(waitList, holder)).isEqualTo(2);
  }

  @Test
  void firstOfThemClaimsAnotherQuota_theNextClaimsThisOne() {
    Lane several = new Lane("several", 1);
    several.most = 0;
    several.claimsElsewhere = 1;
    waitList.join(several);
    assertThat(passes(new Lane("taker", 5), 5, 0)).isFalse();
    assertThat(several.skips).isZero();
  }

  @Test
  void oneClaimALimit_theFirstStands() {
    Lane first = new Lane("first", 1);
    Lane second = new Lane("second", 2);
    assertThat(waitList.claim(first, ticket(1))).isTrue();
    assertThat(waitList.claim(second, ticket(2))).isFalse();
    assertThat(waitList.claim(first, ticket(1))).isTrue();
    waitList.release(ticket(2));
    assertThat(waitList.isClaimed()).isTrue();
    waitList.release(ticket(1));
    assertThat(waitList.isClaimed()).isFalse();
    assertThat(waitList.claim(second, ticket(2))).isTrue();
    assertThat(keptFor(waitList, second)).isEqualTo(2);
    assertThat(keptFor(waitList, first)).isEqualTo(-1);
  }

  @Test
  void ticketOfAClaimIsDecided_claimIsVoid_andAllLookAgain() {
    Ticket ticket = ticket(5);
    waitList.join(new Lane("other", 7));
    waitList.claim(new Lane("claimant", 5), ticket);
    ticket.decide(Ticket.State.GRANTED);
    assertThat(waitList.isClaimed()).isFalse();
    assertThat(waitList.isClaimedForOther(7, false)).isFalse();
    assertThat(woken).containsExactly("other");
  }

  @Test
  void ticketOfAClaimHasLeftItsLane_anotherMayClaim() {
    Lane claimant = new Lane("claimant", 5);
    waitList.claim(claimant, ticket(5));
    claimant.left = true;
    assertThat(waitList.claimedFor(5)).isFalse();
    assertThat(waitList.claim(new Lane("other", 7), ticket(7))).isTrue();
  }

  @Test
  void ticketComesBackWithItsOldNumber_claimOfTheOneThatWentIsNotIts() {
    Ticket went = ticket(5);
    Lane lane = new Lane("lane", 5);
    waitList.claim(lane, went);
    went.decide(Ticket.State.GRANTED);
    Ticket back = ticket(5);
    assertThat(waitList.claim(lane, back)).isTrue();
    assertThat(waitList.claimedFor(lane)).isSameAs(back);
  }

  @Test
  void claimEnds_wakesTheOldestFirst() {
    waitList.join(new Lane("c", 30));
    waitList.join(new Lane("a", 10));
    waitList.join(new Lane("empty", Long.MAX_VALUE));
    waitList.join(new Lane("b", 20));
    waitList.claim(new Lane("x", 5), ticket(5));
    waitList.release(ticket(5));
    assertThat(woken).containsExactly("a", "b", "c", "empty");
  }

  @Test
  void left_isNeitherSkippedNorWoken() {
    Lane departed = new Lane("gone", 1);
    waitList.join(departed);
    waitList.leave(departed);
    passes(new Lane("taker", 5), 5, 0);
    waitList.wake();
    assertThat(departed.skips).isZero();
    assertThat(woken).isEmpty();
  }

  @Test
  void changedQuota_wakesWhoWait() {
    waitList.join(new Lane("a", 1));
    quota.change(ChargeRule.OPENAI, List.of());
    assertThat(woken).containsExactly("a");
  }

  @Test
  void keptForOneThatHoldsNothing_onlyWhoHoldsSomethingPasses() {
    assertThat(waitList.isClaimed(false)).isFalse();
    assertThat(waitList.claimedFor(1)).isFalse();
    assertThat(waitList.isClaimedForOther(ticket(2))).isFalse();
    waitList.claim(new Lane("early", 1), ticket(1));
    assertThat(waitList.isClaimed(false)).isTrue();
    assertThat(waitList.isClaimed(true)).isFalse();
    assertThat(waitList.claimedFor(1)).isTrue();
    assertThat(waitList.claimedFor(2)).isFalse();
    assertThat(waitList.isClaimedForOther(ticket(1))).isFalse();
    assertThat(waitList.isClaimedForOther(ticket(2))).isTrue();
    assertThat(waitList.isClaimedForOther(ticket(2, true))).isFalse();
  }

  @Test
  void keptForOneThatHoldsSomething_nobodyPasses() {
    waitList.claim(new Lane("holder", 1), ticket(1, true));
    assertThat(waitList.isClaimed(false)).isTrue();
    assertThat(waitList.isClaimed(true)).isTrue();
    assertThat(waitList.isClaimedForOther(ticket(2, true))).isTrue();
    assertThat(waitList.claim(new Lane("other", 0), ticket(0, true))).isFalse();
  }

  @Test
  void oneThatHoldsSomethingClaims_claimOfOneThatHoldsNothingIsTakenOver() {
    Lane early = new Lane("early", 1);
    Lane holder = new Lane("holder", 2);
    waitList.claim(early, ticket(1));
    assertThat(waitList.claim(holder, ticket(2, true))).isTrue();
    assertThat(keptFor(waitList, holder)).isEqualTo(2);
    assertThat(waitList.claim(early, ticket(1))).isFalse();
  }

  @Test
  void noneMayNotBeSkipped_noClaimIsToldOf() {
    waitList.join(new Lane("early", 1));
    assertThat(waitList.claimForUnskippable(new Lane("taker", 5), ticket(5), 0)).isFalse();
    assertThat(waitList.isClaimed()).isFalse();
  }

  @Test
  void kept_noneOfTheOthersClaimsBesides() {
    Lane early = new Lane("early", 1);
    early.most = 0;
    waitList.join(early);
    waitList.claim(new Lane("claimant", 2), ticket(2));
    assertThat(waitList.claimForUnskippable(new Lane("taker", 5), ticket(5), 0)).isFalse();
    assertThat(woken).isEmpty();
  }

  @Test
  void oneThatMayNotBeSkippedLacksMore_noClaimIsToldOf_andItIsNotWoken() {
    Lane early = new Lane("early", 1);
    early.most = 0;
    early.lacksMore = true;
    waitList.join(early);
    assertThat(waitList.claimForUnskippable(new Lane("taker", 5), ticket(5), 0)).isFalse();
    assertThat(woken).isEmpty();
  }

  @Test
  void oneThatMayNotBeSkippedClaimsAnotherQuotaOnly_isWokenAndToldOf_andThisIsNotKept() {
    Lane early = new Lane("early", 1);
    early.most = 0;
    early.claimsElsewhere = 1;
    early.lacksMore = true;
    waitList.join(early);
    assertThat(waitList.claimForUnskippable(new Lane("taker", 5), ticket(5), 0)).isTrue();
    assertThat(woken).containsExactly("early");
    assertThat(waitList.isClaimed()).isFalse();
  }

  @Test
  void nobodyWaits_whoComesMayTake_unlessItIsKeptForAnother() {
    Set<WaitList.Waiter> skipped = new HashSet<>();
    assertThat(waitList.mayTake(ticket(5), skipped, 0)).isTrue();
    waitList.claim(new Lane("early", 1), ticket(1));
    assertThat(waitList.mayTake(ticket(5), skipped, 0)).isFalse();
    assertThat(waitList.mayTake(ticket(5, true), skipped, 0)).isTrue();
    assertThat(skipped).isEmpty();
  }

  @Test
  void othersWait_whoComesMayTake_andSkipsThoseWhoCameBefore() {
    Lane early = new Lane("early", 1);
    waitList.join(early);
    waitList.join(new Lane("late", 9));
    Set<WaitList.Waiter> skipped = new HashSet<>();
    assertThat(waitList.mayTake(ticket(5), skipped, 0)).isTrue();
    assertThat(skipped).containsExactly(early);
    assertThat(early.skips).isZero();
  }

  @Test
  void oneThatMayNotBeSkippedWaits_whoComesMayNotTake_andItIsKeptForTheOther() {
    Lane early = new Lane("early", 1);
    early.most = 0;
    waitList.join(early);
    Set<WaitList.Waiter> skipped = new HashSet<>();
    assertThat(waitList.mayTake(ticket(5), skipped, 0)).isFalse();
    assertThat(skipped).isEmpty();
    assertThat(keptFor(waitList, early)).isEqualTo(1);
    assertThat(woken).containsExactly("early");
  }

  @Test
  void wakeKeepers_wakesOnlyThoseForWhomSomethingIsKept() {
    Lane keeper = new Lane("keeper", 2);
    keeper.keeps = true;
    WokenWaiters onlooker = new WokenWaiters();
    waitList.join(new Lane("other", 1));
    waitList.join(keeper);
    waitList.join(onlooker);
    waitList.wakeClaimants();
    assertThat(woken).containsExactly("keeper");
    assertThat(onlooker.times).isZero();
  }

  @Test
  void onlooker_isWokenAfterWhoHasTickets_andHoldsNobodyUp() {
    WaitObserver waitObserver =
        new WaitObserver() {
          @Override
          public void wake() {
            woken.add("onlooker");
          }
        };
    waitList.join(waitObserver);
    waitList.join(new Lane("late", 9));
    Set<WaitList.Waiter> skipped = new HashSet<>();
    assertThat(waitList.mayTake(ticket(5), skipped, 0)).isTrue();
    assertThat(skipped).isEmpty();
    waitList.wake();
    assertThat(woken).containsExactly("late", "onlooker");
    assertThat(waitObserver.keepsCharges()).isFalse();
    assertThat(waitObserver.unskippable(ticket(Long.MAX_VALUE))).isFalse();
    waitList.claim(waitObserver, ticket(1));
    assertThat(waitList.isClaimed()).as("it has no ticket, so the claim is void").isFalse();
  }
}
